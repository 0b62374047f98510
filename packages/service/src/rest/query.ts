/** Reading query parameters of listings; every fault is named in the `invalid-query` problem. */

import type { SubmissionQuery } from "@cairn/aggregator";
import {
  bodyLimits,
  CHAIN_ID_FORM,
  type FieldError,
  isChainId,
  type SubmissionState,
  submissionStates,
} from "@cairn/api";
import type { Hash } from "@cairn/primitives";
import type { Cursors } from "./cursor.ts";
import { ProblemError } from "./problem-error.ts";

/** A page asked for. */
export interface PageQuery {
  readonly limit: number;
  readonly before?: number;
}

/** A page of submissions and the listing its cursors belong to. */
export interface SubmissionPage {
  readonly query: SubmissionQuery;
  readonly listing: string;
}

type Query = Readonly<Record<string, unknown>>;
type Filters = Omit<SubmissionQuery, "account" | "limit" | "before">;

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;

/** Reads `limit` and `cursor` of a listing without filters. */
export function pageQuery(cursors: Cursors, listing: string, query: unknown): PageQuery {
  const faults: FieldError[] = [];
  const page = readPage(asQuery(query), cursors, listing, faults);
  refuse(faults);
  return page;
}

/** Reads the filters and the page of a listing of submissions; `chainKeyOf` says what chain a chain id stands for. */
export function submissionQuery(
  cursors: Cursors,
  account: string,
  query: unknown,
  chainKeyOf: (chainId: string) => string,
): SubmissionPage {
  const q = asQuery(query);
  const faults: FieldError[] = [];
  const filters = readFilters(q, chainKeyOf, faults);
  const listing = JSON.stringify(["proofs", account, filters]);
  const page = readPage(q, cursors, listing, faults);
  refuse(faults);
  return { query: { account, ...filters, ...page }, listing };
}

function readFilters(q: Query, chainKeyOf: (chainId: string) => string, faults: FieldError[]): Filters {
  const state = oneText(q, "state", faults);
  const since = oneText(q, "since", faults);
  const chainId = oneText(q, "chain_id", faults);
  const externalId = oneText(q, "external_id", faults);
  const proofHash = readHash(q, "proof_hash", faults);
  const statement = readHash(q, "statement", faults);
  if (state !== undefined && !isState(state))
    faults.push(fault("state", `must be one of ${submissionStates.join(", ")}`));
  const sinceMs = since === undefined ? undefined : parseTime(since);
  if (Number.isNaN(sinceMs)) faults.push(fault("since", "must be an RFC 3339 time"));
  if (chainId !== undefined && !isChainId(chainId)) faults.push(fault("chain_id", CHAIN_ID_FORM));
  if (externalId !== undefined && externalId.length > bodyLimits.externalIdCharacters)
    faults.push(fault("external_id", `has more than ${bodyLimits.externalIdCharacters} characters`));
  return {
    ...(state !== undefined && isState(state) ? { state } : {}),
    ...(sinceMs === undefined ? {} : { sinceMs }),
    ...(chainId === undefined ? {} : { chainKey: chainKeyOf(chainId) }),
    ...(externalId === undefined ? {} : { externalId }),
    ...(proofHash === undefined ? {} : { proofHash }),
    ...(statement === undefined ? {} : { statement }),
  };
}

const TIME = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/i;

/** RFC 3339 to milliseconds; NaN when it is none or no day of the calendar. */
function parseTime(text: string): number {
  const day = TIME.exec(text)?.[1];
  const midnight = Date.parse(`${day}T00:00:00Z`);
  if (day === undefined || Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(day))
    return Number.NaN;
  return Date.parse(text.toUpperCase());
}

function readPage(query: Query, cursors: Cursors, listing: string, faults: FieldError[]): PageQuery {
  const limitText = oneText(query, "limit", faults);
  const cursor = oneText(query, "cursor", faults);
  const limit = limitText === undefined ? DEFAULT_LIMIT : /^[0-9]{1,3}$/.test(limitText) ? Number(limitText) : 0;
  if (limit < 1 || limit > MAX_LIMIT) faults.push(fault("limit", `must be 1 to ${MAX_LIMIT}`));
  const before = cursor === undefined ? undefined : cursors.decode(listing, cursor);
  if (cursor !== undefined && before === undefined) faults.push(fault("cursor", "is no cursor of this listing"));
  return { limit, ...(before === undefined ? {} : { before }) };
}

/** A parameter's text; a fault when it is given more than once. */
export function oneText(query: Query, name: string, faults: FieldError[]): string | undefined {
  const value = query[name];
  if (value === undefined || typeof value === "string") return value;
  faults.push(fault(name, "is given more than once"));
  return undefined;
}

function readHash(query: Query, name: string, faults: FieldError[]): Hash | undefined {
  const text = oneText(query, name, faults)?.toLowerCase();
  if (text === undefined) return undefined;
  if (/^0x[0-9a-f]{64}$/.test(text)) return `0x${text.slice(2)}`;
  faults.push(fault(name, "must be 32 bytes in 0x-hex"));
  return undefined;
}

function isState(text: string): text is SubmissionState {
  return submissionStates.some((state) => state === text);
}

function fault(parameter: string, detail: string): FieldError {
  return { parameter, code: "invalid", detail };
}

function refuse(faults: readonly FieldError[]): void {
  if (faults.length > 0) throw new ProblemError("invalid-query", { errors: faults });
}

function asQuery(query: unknown): Query {
  return typeof query === "object" && query !== null ? (query as Query) : {};
}
