/** Whether the attributes of a published event meet a query (reference: `libs/pubsub/query` of CometBFT v0.38). */
import { GoTimeError, parseGoDate, parseGoTime } from "./go-time.ts";
import type { Argument, Condition, Operator, Query } from "./query.ts";

/** Composite keys (`type.attribute`) with their values in order. */
export type Tags = ReadonlyMap<string, readonly string[]>;

const WHOLE_NUMBER = /^\d+(?:\.\d*)?$/;
const NUMBER = /^\d+(?:\.\d+)?/;

/** Negative, zero or positive as the decimal `a` is below, at or above `b`, at any length. */
export function compareDecimals(a: string, b: string): number {
  const [wholeA = "", fractionA = ""] = a.split(".");
  const [wholeB = "", fractionB = ""] = b.split(".");
  const places = Math.max(fractionA.length, fractionB.length);
  const left = BigInt(wholeA + fractionA.padEnd(places, "0"));
  const right = BigInt(wholeB + fractionB.padEnd(places, "0"));
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Whether a comparison's sign satisfies an operator. */
function satisfies(operator: Operator, sign: number): boolean {
  if (operator === "=") return sign === 0;
  if (operator === "<") return sign < 0;
  if (operator === "<=") return sign <= 0;
  if (operator === ">") return sign > 0;
  return operator === ">=" && sign >= 0;
}

function timeOf(kind: Argument["kind"], text: string): number | undefined {
  try {
    return kind === "time" ? parseGoTime(text) : parseGoDate(text);
  } catch (error) {
    if (error instanceof GoTimeError) return undefined;
    throw error;
  }
}

/** Whether one value meets a condition of a subscription: numbers and times are compared as such. */
function valueMatches({ operator, argument }: Condition, value: string): boolean {
  if (argument === undefined) return true;
  const { kind, text } = argument;
  if (kind === "string") return operator === "contains" ? value.includes(text) : value === text;
  if (kind === "number") {
    const number = NUMBER.exec(value)?.[0];
    return number !== undefined && satisfies(operator, compareDecimals(number, text));
  }
  const [have, want] = [timeOf(kind, value), timeOf(kind, text)];
  return have !== undefined && want !== undefined && satisfies(operator, have - want);
}

/** Whether one value meets a condition of a search: equality compares text, times are not supported. */
export function indexedMatches({ operator, argument }: Condition, value: string): boolean {
  if (argument === undefined) return true;
  const { kind, text } = argument;
  if (kind === "time" || kind === "date") return false;
  if (operator === "=") return value === text;
  if (operator === "contains") return value.includes(text);
  return WHOLE_NUMBER.test(value) && satisfies(operator, compareDecimals(value, text));
}

/** A tag that names only an event's type matches it with an empty value. */
function hasType(tags: Tags, type: string): boolean {
  for (const key of tags.keys()) if (key.slice(0, Math.max(0, key.lastIndexOf("."))) === type) return true;
  return false;
}

/** Whether every condition is met by some value of its key. */
export function queryMatches(query: Query, tags: Tags): boolean {
  return query.conditions.every((condition) => {
    const values = tags.get(condition.tag);
    if (values?.some((value) => valueMatches(condition, value)) === true) return true;
    return hasType(tags, condition.tag) && valueMatches(condition, "");
  });
}
