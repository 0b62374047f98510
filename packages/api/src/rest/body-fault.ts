/**
 * Faults of a body in plain words: one sentence for every way in which a value can miss its schema, said of the member
 * that the pointer names. A schema's own message goes before these.
 */
import type { z } from "zod";
import type { FieldError } from "./problem.ts";

type Issue = z.core.$ZodRawIssue;

/** Names of kinds of values, as they follow "must be". */
const KINDS: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "an array",
  object: "an object",
  record: "an object",
  null: "null",
};

/** What is wrong with a value, as a sentence about its member; for `safeParse`. */
export function plainFault(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return `must be ${kindOf(issue.expected)}`;
    case "invalid_union":
      return `must be ${kindsOf(issue.errors)}`;
    case "invalid_value":
      return `must be ${issue.values.length === 1 ? "" : "one of "}${issue.values.map(String).join(", ")}`;
    case "too_big":
      return tooMuch(issue.origin, Number(issue.maximum));
    case "too_small":
      return tooLittle(issue.origin, Number(issue.minimum));
    default:
      return "has a wrong form";
  }
}

function kindOf(expected: string): string {
  return KINDS[expected] ?? "of another kind";
}

/** A union takes any of these; one whose branches say nothing of kinds takes any JSON value. */
function kindsOf(branches: readonly (readonly Pick<z.core.$ZodIssue, "code">[])[]): string {
  const kinds = branches.flatMap(([first]) =>
    first !== undefined && first.code === "invalid_type" && "expected" in first ? [kindOf(String(first.expected))] : [],
  );
  return kinds.length === 0 ? "a JSON value" : [...new Set(kinds)].join(" or ");
}

const grouped = (count: number): string => String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ",");

function tooMuch(origin: string, maximum: number): string {
  if (origin === "string") return `has more than ${grouped(maximum)} characters`;
  if (origin === "array") return `has more than ${grouped(maximum)} items`;
  return `must be at most ${grouped(maximum)}`;
}

function tooLittle(origin: string, minimum: number): string {
  if (origin !== "string" && origin !== "array") return `must be at least ${grouped(minimum)}`;
  if (minimum === 1) return "must not be empty";
  return `has fewer than ${grouped(minimum)} ${origin === "string" ? "characters" : "items"}`;
}

/** The faults of a body that missed its schema, one for each member, at most `limit`. */
export function bodyFaults(issues: readonly z.core.$ZodIssue[], body: unknown, limit: number): readonly FieldError[] {
  const faults = new Map<string, FieldError>();
  for (const issue of issues) {
    const pointer = jsonPointer(issue.path);
    const known = faults.get(pointer);
    // Of a wrong kind nothing else need be said; of several bounds the last is the narrowest.
    if (known?.code !== "type") faults.set(pointer, faultOf(issue, pointer, body));
  }
  return [...faults.values()].slice(0, limit);
}

function faultOf(issue: z.core.$ZodIssue, pointer: string, body: unknown): FieldError {
  const [member] = issue.path;
  const isMissing = member !== undefined && issue.path.length === 1 && !Object.hasOwn(Object(body), member);
  if (isMissing) return { pointer, code: "required", detail: "is required" };
  const isKind = issue.code === "invalid_type" || issue.code === "invalid_union";
  return { pointer, code: isKind ? "type" : "invalid", detail: issue.message };
}

/** One segment list as a JSON Pointer (RFC 6901). */
export function jsonPointer(path: readonly PropertyKey[]): string {
  return path.map((part) => `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}
