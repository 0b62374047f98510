/**
 * Strict reading of CometBFT's JSON: exact members, int64 as canonical decimal strings, hashes in upper-case hex,
 * byte strings in padded base64, times in canonical RFC 3339. Whatever parses is spelt in exactly one way.
 */
import { base64ToBytes, upperHexToBytes } from "./bytes.ts";
import { CometError } from "./error.ts";
import { parseRfc3339 } from "./timestamp.ts";
import type { Timestamp } from "./types.ts";

const DECIMAL = /^(?:0|-?[1-9][0-9]{0,18})$/;
const INT64_MAX = (1n << 63n) - 1n;

/** Members of one JSON object, read by type. Every reader throws CometError `invalid-json` naming the member. */
export interface ObjectReader {
  has(key: string): boolean;
  raw(key: string): unknown;
  text(key: string): string;
  int64(key: string): bigint;
  /** A JSON number that is an integer from 0 to max. */
  small(key: string, max: number): number;
  hex(key: string, lengths?: readonly number[]): Uint8Array;
  /** Base64 text; `null` is the empty byte string. */
  base64(key: string, lengths?: readonly number[]): Uint8Array;
  time(key: string): Timestamp;
  object(key: string, keys: readonly string[], optional?: readonly string[]): ObjectReader;
  list(key: string): readonly unknown[];
}

function bad(path: string, detail: string): CometError {
  return new CometError("invalid-json", `${path}: ${detail}`);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Opens a JSON object that has exactly the given members (and may have the optional ones). */
export function readObject(
  value: unknown,
  path: string,
  keys: readonly string[],
  optional: readonly string[] = [],
): ObjectReader {
  if (!isRecord(value)) throw bad(path, "expected an object");
  for (const key of keys) if (!Object.hasOwn(value, key)) throw bad(path, `member ${key} missing`);
  for (const key of Object.keys(value)) {
    if (!keys.includes(key) && !optional.includes(key)) throw bad(path, "unknown member");
  }
  return createReader(value, path);
}

function createReader(record: Readonly<Record<string, unknown>>, path: string): ObjectReader {
  const at = (key: string): string => `${path}.${key}`;
  const text = (key: string): string => {
    const value = record[key];
    if (typeof value !== "string") throw bad(at(key), "expected a string");
    return value;
  };
  const sized = (key: string, bytes: Uint8Array, lengths?: readonly number[]): Uint8Array => {
    if (lengths !== undefined && !lengths.includes(bytes.length)) throw bad(at(key), "unexpected length");
    return bytes;
  };
  return {
    has: (key) => Object.hasOwn(record, key),
    raw: (key) => record[key],
    text,
    int64: (key) => parseInt64(text(key), at(key)),
    small: (key, max) => {
      const value = record[key];
      const isSmall = typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= max;
      if (!isSmall || Object.is(value, -0)) throw bad(at(key), "expected a small integer");
      return value;
    },
    hex: (key, lengths) => sized(key, upperHexToBytes(text(key)), lengths),
    base64: (key, lengths) => sized(key, record[key] === null ? new Uint8Array(0) : base64ToBytes(text(key)), lengths),
    time: (key) => parseRfc3339(text(key)),
    object: (key, keys, optional) => readObject(record[key], at(key), keys, optional),
    list: (key) => {
      const value = record[key];
      if (!Array.isArray(value)) throw bad(at(key), "expected a list");
      return value;
    },
  };
}

function parseInt64(text: string, path: string): bigint {
  if (!DECIMAL.test(text)) throw bad(path, "expected a decimal string");
  const value = BigInt(text);
  if (value > INT64_MAX || value < -INT64_MAX - 1n) throw bad(path, "outside int64");
  return value;
}
