/** Reading one field of the configuration: its value, or a refusal that names it and what was expected. */
import { ReaderConfigError } from "./config-error.ts";

/** Names a field of the entry being read: `block_fetch_params[2].<field>`. */
export type At = (field: string) => string;

/** A table of TOML or an object of JSON. */
export type Table = Readonly<Record<string, unknown>>;

/** An integer within bounds; `fallback` when it is not given. */
export function readInteger(value: unknown, fallback: number, min: number, max: number, field: string): number {
  if (value === undefined) return fallback;
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < min || value > max) {
    throw new ReaderConfigError(field, `expected an integer from ${min} to ${max}`);
  }
  return value;
}

/** A text of 1 to 4096 characters; undefined when it is not given. */
export function readText(value: unknown, field: string): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== "string" || value === "" || value.length > 4_096) {
    throw new ReaderConfigError(field, "expected a text");
  }
  return value;
}

/** One of a few words. */
export function readWord<T extends string>(value: unknown, words: readonly T[], fallback: T, field: string): T {
  if (value === undefined) return fallback;
  const word = words.find((known) => known === value);
  if (word === undefined) throw new ReaderConfigError(field, `expected one of ${words.join(", ")}`);
  return word;
}

/** True or false. */
export function readBoolean(value: unknown, fallback: boolean, field: string): boolean {
  if (value === undefined) return fallback;
  if (typeof value !== "boolean") throw new ReaderConfigError(field, "expected true or false");
  return value;
}

/** A table; undefined when it is not given. Members beyond `known` are refused. */
export function readTable(value: unknown, known: readonly string[], field: string): Table | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "object" || Array.isArray(value)) throw new ReaderConfigError(field, "expected a table");
  for (const key of Object.keys(value)) {
    if (!known.includes(key)) {
      throw new ReaderConfigError(`${field}.${key}`, `unknown here; known: ${known.join(", ")}`);
    }
  }
  return value as Table;
}

/** An http or https URL, normalised. */
export function readUrl(value: unknown, field: string): string {
  const url = typeof value === "string" ? URL.parse(value) : null;
  if (url === null || !["http:", "https:"].includes(url.protocol)) {
    throw new ReaderConfigError(field, "expected an http or https URL");
  }
  return url.href;
}
