/** JSON as bytes that everybody makes alike. */
import type { JsonValue } from "./types.ts";

const LONE_SURROGATE = /\p{Surrogate}/u;

/** Canonical JSON (RFC 8785). Throws RangeError for lone surrogates and numbers that JSON cannot carry. */
export function canonicalJson(value: JsonValue): string {
  if (typeof value === "string") return canonicalString(value);
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new RangeError("a number that JSON cannot carry");
    return JSON.stringify(value);
  }
  if (value === null || typeof value === "boolean") return String(value);
  if (isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  // Members in the order of their names' UTF-16 code units, which is what `sort` compares.
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${canonicalString(name)}:${canonicalJson(value[name] ?? null)}`).join(",")}}`;
}

function canonicalString(value: string): string {
  if (LONE_SURROGATE.test(value)) throw new RangeError("a lone surrogate");
  return JSON.stringify(value);
}

function isArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
