/**
 * JSON as Go's decoder reads it: the source text of every value is kept, and errors are in its words, since clients see
 * them. Depth is bounded.
 */

/** A JSON value with its source text. */
export type RawJson =
  | { readonly kind: "object"; readonly text: string; readonly members: readonly (readonly [string, RawJson])[] }
  | { readonly kind: "array"; readonly text: string; readonly items: readonly RawJson[] }
  | { readonly kind: "string"; readonly text: string; readonly value: string }
  | { readonly kind: "number" | "bool" | "null"; readonly text: string };

/** Thrown for text that is not JSON; the message is Go's. */
export class GoJsonError extends Error {}

const MAX_DEPTH = 200;
const LITERALS = { t: "true", f: "false", n: "null" } as const;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

interface Reader {
  readonly source: string;
  at: number;
}

function quoted(character: string): string {
  if (character === "'") return "'\\''";
  return character === '"' ? "'\"'" : `'${character}'`;
}

function unexpected(reader: Reader, where: string): GoJsonError {
  const character = reader.source[reader.at];
  if (character === undefined) return new GoJsonError("unexpected end of JSON input");
  return new GoJsonError(`invalid character ${quoted(character)} ${where}`);
}

function skipSpace(reader: Reader): void {
  while (" \t\r\n".includes(reader.source[reader.at] ?? "x")) reader.at++;
}

function readString(reader: Reader): string {
  const start = reader.at++;
  for (; ; reader.at++) {
    const character = reader.source[reader.at];
    if (character === undefined || character < " ") throw unexpected(reader, "in string literal");
    if (character === "\\") reader.at++;
    if (character === '"') break;
  }
  reader.at++;
  try {
    return JSON.parse(reader.source.slice(start, reader.at));
  } catch {
    throw new GoJsonError("invalid character in string escape code");
  }
}

function readLiteral(reader: Reader, first: keyof typeof LITERALS): RawJson {
  const word = LITERALS[first];
  for (const [i, expected] of [...word].entries()) {
    if (reader.source[reader.at] !== expected) {
      throw i === 0 ? unexpected(reader, "") : unexpected(reader, `in literal ${word} (expecting '${expected}')`);
    }
    reader.at++;
  }
  return { kind: word === "null" ? "null" : "bool", text: word };
}

function readNumber(reader: Reader): RawJson {
  NUMBER.lastIndex = reader.at;
  const text = NUMBER.exec(reader.source)?.[0];
  if (text === undefined) {
    reader.at++;
    throw unexpected(reader, "in numeric literal");
  }
  reader.at += text.length;
  return { kind: "number", text };
}

/** Reads the parts of an object or array up to its closing character. */
function readParts(reader: Reader, close: string, where: string, read: () => void): void {
  reader.at++;
  skipSpace(reader);
  if (reader.source[reader.at] === close) {
    reader.at++;
    return;
  }
  for (;;) {
    read();
    skipSpace(reader);
    const character = reader.source[reader.at];
    if (character !== close && character !== ",") throw unexpected(reader, where);
    reader.at++;
    if (character === close) return;
  }
}

function readObject(reader: Reader, depth: number): RawJson {
  const start = reader.at;
  const members: [string, RawJson][] = [];
  readParts(reader, "}", "after object key:value pair", () => {
    skipSpace(reader);
    if (reader.source[reader.at] !== '"') throw unexpected(reader, "looking for beginning of object key string");
    const key = readString(reader);
    skipSpace(reader);
    if (reader.source[reader.at] !== ":") throw unexpected(reader, "after object key");
    reader.at++;
    members.push([key, readValue(reader, depth + 1)]);
  });
  return { kind: "object", text: reader.source.slice(start, reader.at), members };
}

function readArray(reader: Reader, depth: number): RawJson {
  const start = reader.at;
  const items: RawJson[] = [];
  readParts(reader, "]", "after array element", () => items.push(readValue(reader, depth + 1)));
  return { kind: "array", text: reader.source.slice(start, reader.at), items };
}

function readValue(reader: Reader, depth: number): RawJson {
  if (depth > MAX_DEPTH) throw new GoJsonError("exceeded max depth");
  skipSpace(reader);
  const first = reader.source[reader.at] ?? "";
  if (first === "{") return readObject(reader, depth);
  if (first === "[") return readArray(reader, depth);
  if (first === "t" || first === "f" || first === "n") return readLiteral(reader, first);
  if (first === '"') {
    const start = reader.at;
    const value = readString(reader);
    return { kind: "string", text: reader.source.slice(start, reader.at), value };
  }
  if (first === "-" || (first >= "0" && first <= "9")) return readNumber(reader);
  throw unexpected(reader, "looking for beginning of value");
}

/** Parses one JSON value. Throws {@link GoJsonError}. */
export function parseGoJson(source: string): RawJson {
  const reader: Reader = { source, at: 0 };
  const value = readValue(reader, 0);
  skipSpace(reader);
  if (reader.at < source.length) throw unexpected(reader, "after top-level value");
  return value;
}
