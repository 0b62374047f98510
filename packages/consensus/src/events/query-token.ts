/** Tokens of the event query language, with the byte offsets that CometBFT's errors carry. */
import { GoTimeError, parseGoDate, parseGoTime } from "./go-time.ts";

/** Kinds of tokens. */
export type TokenKind =
  | "tag"
  | "string"
  | "number"
  | "time"
  | "date"
  | "and"
  | "contains"
  | "exists"
  | "="
  | "<"
  | "<="
  | ">"
  | ">=";

/** One token. `text` is without quotes and keywords; `offset` counts bytes from the query's start. */
export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  readonly offset: number;
}

/** Thrown where no token is; the message is CometBFT's, without the offset in front. */
export class TokenError extends Error {
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

/** Reads one token after the other; undefined at the end. Throws {@link TokenError}. */
export interface TokenReader {
  next(): Token | undefined;
  /** Byte offset of the end of what was read. */
  offset(): number;
}

const FIRST_TAG = /^[\p{L}\p{Nd}_]$/u;
const TAG = /^[\p{L}\p{Nd}._-]*/u;
const KEYWORDS: Readonly<Record<string, TokenKind>> = { AND: "and", CONTAINS: "contains", EXISTS: "exists" };
const TIMED = {
  TIME: { kind: "time", run: /^[\d\-T:+Z]*/, parse: parseGoTime },
  DATE: { kind: "date", run: /^[\d-]*/, parse: parseGoDate },
} as const;

function isTimed(text: string): text is keyof typeof TIMED {
  return Object.hasOwn(TIMED, text);
}

/** Reads the tokens of a query. */
export function readTokens(query: string): TokenReader {
  let at = 0;
  const offsetOf = (index: number): number => Buffer.byteLength(query.slice(0, index));
  const take = (kind: TokenKind, start: number, length: number, text: string): Token => {
    at = start + length;
    return { kind, text, offset: offsetOf(start) };
  };
  const tagLike = (start: number): Token => {
    const text = TAG.exec(query.slice(start))?.[0] ?? "";
    const end = start + text.length;
    if (!isTimed(text) || query[end] !== " ") return take(KEYWORDS[text] ?? "tag", start, text.length, text);
    const { kind, run, parse } = TIMED[text];
    const value = run.exec(query.slice(end + 1))?.[0] ?? "";
    try {
      parse(value);
    } catch (error) {
      if (!(error instanceof GoTimeError)) throw error;
      throw new TokenError(`invalid ${text} value: ${error.message}`, offsetOf(start));
    }
    return take(kind, start, text.length + 1 + value.length, value);
  };
  const quoted = (start: number): Token => {
    const end = query.indexOf("'", start + 1);
    if (end < 0) throw new TokenError("EOF", offsetOf(start));
    return take("string", start, end + 1 - start, query.slice(start + 1, end));
  };
  const next = (): Token | undefined => {
    while (/^\s$/u.test(query[at] ?? "")) at++;
    const first = String.fromCodePoint(query.codePointAt(at) ?? 0);
    if (at >= query.length) return undefined;
    if (/^[0-9]$/.test(first)) {
      const text = /^\d+(?:\.\d*)?/.exec(query.slice(at))?.[0] ?? "";
      return take("number", at, text.length, text);
    }
    if (FIRST_TAG.test(first)) return tagLike(at);
    if (first === "'") return quoted(at);
    if (first === "=") return take("=", at, 1, "=");
    if (first === "<" || first === ">") {
      const operator = query[at + 1] === "=" ? (`${first}=` as const) : first;
      return take(operator, at, operator.length, operator);
    }
    throw new TokenError(`invalid input ${first} at offset ${offsetOf(at + first.length)}`, offsetOf(at));
  };
  return { next, offset: () => offsetOf(at) };
}
