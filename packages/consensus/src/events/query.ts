/** The event query language of CometBFT v0.38: conditions joined by AND, parsed with its error texts. */
import { readTokens, type Token, TokenError, type TokenKind, type TokenReader } from "./query-token.ts";

/** Operators of a condition. */
export type Operator = "=" | "<" | "<=" | ">" | ">=" | "contains" | "exists";

/** What a tag is compared with; `exists` has nothing to compare. */
export interface Argument {
  readonly kind: "string" | "number" | "time" | "date";
  readonly text: string;
}

/** One condition on a composite key. */
export interface Condition {
  readonly tag: string;
  readonly operator: Operator;
  readonly argument?: Argument;
}

/** A parsed query. `text` is its normal form, the identity of a subscription. */
export interface Query {
  readonly conditions: readonly Condition[];
  readonly text: string;
}

/** Thrown for a query that does not parse; the message is CometBFT's. */
export class QueryError extends Error {}

const LABELS: Readonly<Record<TokenKind, string>> = {
  tag: "tag",
  string: "string",
  number: "number",
  time: "timestamp",
  date: "datestamp",
  and: "AND operator",
  contains: "CONTAINS operator",
  exists: "EXISTS operator",
  "=": "= operator",
  "<": "< operator",
  "<=": "<= operator",
  ">": "> operator",
  ">=": ">= operator",
};
const OPERATORS = ["<=", ">=", "<", ">", "=", "contains", "exists"] as const;
const OPERANDS: Readonly<Record<Exclude<Operator, "exists">, readonly Argument["kind"][]>> = {
  "=": ["number", "time", "date", "string"],
  "<": ["number", "time", "date"],
  "<=": ["number", "time", "date"],
  ">": ["number", "time", "date"],
  ">=": ["number", "time", "date"],
  contains: ["string"],
};
/** A bare hex value after `=`, as the specification's samples write hashes and addresses. */
const BARE_HEX = /=\s*(0[xX][0-9a-fA-F]+|[0-9a-fA-F]{64})(?=\s|$)/g;

function labels(kinds: readonly TokenKind[]): string {
  const names = kinds.map((kind) => LABELS[kind]);
  return names.length === 1 ? (names[0] ?? "") : `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
}

function required<K extends TokenKind>(
  reader: TokenReader,
  kinds: readonly K[],
): { readonly kind: K; readonly text: string } {
  const token = reader.next();
  if (token === undefined) throw new QueryError(`offset ${reader.offset()}: EOF`);
  const kind = kinds.find((wanted) => wanted === token.kind);
  if (kind !== undefined) return { kind, text: token.text };
  throw new QueryError(`offset ${token.offset}: got ${LABELS[token.kind]}, wanted ${labels(kinds)}`);
}

function readCondition(reader: TokenReader): Condition {
  const tag = required(reader, ["tag"]).text;
  const { kind: operator } = required(reader, OPERATORS);
  if (operator === "exists") return { tag, operator };
  const { kind, text } = required(reader, OPERANDS[operator]);
  return { tag, operator, argument: { kind, text } };
}

/** Reads what stands between two conditions: AND, or the end. CometBFT prints the wanted token as a number here. */
function readAnd(reader: TokenReader): boolean {
  let token: Token | undefined;
  try {
    token = reader.next();
  } catch (error) {
    if (!(error instanceof TokenError)) throw error;
    throw new QueryError(`offset ${error.offset}: got invalid token, want 6`);
  }
  if (token === undefined) return false;
  if (token.kind !== "and") throw new QueryError(`offset ${token.offset}: got ${LABELS[token.kind]}, want 6`);
  return true;
}

function parseConditions(query: string): readonly Condition[] {
  const reader = readTokens(query);
  try {
    const conditions = [readCondition(reader)];
    while (readAnd(reader)) conditions.push(readCondition(reader));
    return conditions;
  } catch (error) {
    if (error instanceof TokenError) throw new QueryError(`offset ${error.offset}: ${error.message}`);
    throw error;
  }
}

function printed({ tag, operator, argument }: Condition): string {
  if (argument === undefined) return `${tag} EXISTS`;
  const { kind, text } = argument;
  const value = kind === "string" ? `'${text}'` : kind === "number" ? text : `${kind.toUpperCase()} ${text}`;
  return `${tag} ${operator.toUpperCase()} ${value}`;
}

/**
 * Parses a query. Where CometBFT would answer an error, hex values without quotes are taken too. Throws
 * {@link QueryError}.
 */
export function parseQuery(query: string): Query {
  const finished = (conditions: readonly Condition[]): Query => ({
    conditions,
    text: conditions.map(printed).join(" AND "),
  });
  try {
    return finished(parseConditions(query));
  } catch (error) {
    const quoted = query.replace(BARE_HEX, "='$1'");
    if (!(error instanceof QueryError) || quoted === query) throw error;
    try {
      return finished(parseConditions(quoted));
    } catch {
      throw error;
    }
  }
}
