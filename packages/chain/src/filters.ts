/**
 * Owns the rules of installed filters as steps on a plain value (Ethereum JSON-RPC `eth_newFilter` and kin). Time and
 * ids are arguments; `filter-registry.ts` is the face, historical logs are the native index's.
 *
 *   (none)    --install, below the cap-->              installed
 *   installed --poll-->                                installed (buffer emptied, clock restarted)
 *   installed --uninstall | not polled for the timeout | buffer full--> (none)
 */
import type { Hash, Hex } from "@cairn/primitives";
import { type HeadLog, type LogCriteria, type LogMatcher, logMatcher } from "./head-log.ts";

/** What a filter watches. */
export type FilterKind = "logs" | "blocks" | "pending";

/** Bounds of all filters of one node. */
export interface FilterLimits {
  readonly maxFilters: number;
  /** An unpolled filter is removed after this. */
  readonly timeoutMs: number;
  /** Entries one filter holds between polls; one more removes it. */
  readonly maxEntries: number;
  /** Characters of log texts one filter holds between polls; one more removes it. */
  readonly maxChars: number;
}

/**
 * 1,000 filters, five minutes, 50,000 entries of 64 million characters each. Filters share the texts of logs; the
 * bound on them keeps a filter over huge logs from holding blocks of five minutes, and its poll a possible string.
 */
export const DEFAULT_FILTER_LIMITS: FilterLimits = {
  maxFilters: 1_000,
  timeoutMs: 300_000,
  maxEntries: 50_000,
  maxChars: 64_000_000,
};

interface InstalledBase {
  polledMs: number;
}

/** `chars` is the length of `logs` together. */
interface LogFilter {
  readonly kind: "logs";
  readonly criteria: LogCriteria;
  readonly matches: LogMatcher;
  logs: string[];
  chars: number;
}

/** One installed filter with what it collected since the last poll. */
export type InstalledFilter =
  | (InstalledBase & LogFilter)
  | (InstalledBase & { readonly kind: Exclude<FilterKind, "logs">; hashes: Hash[] });

/** All filters by id. A value owned by its caller and changed in place by the steps below. */
export interface Filters {
  readonly limits: FilterLimits;
  readonly byId: Map<Hex, InstalledFilter>;
}

/** No filters. */
export const createFilters = (limits: FilterLimits): Filters => ({ limits, byId: new Map() });

/** Installs a filter under a fresh id; `false` when the cap is reached. */
export function installFilter(
  filters: Filters,
  id: Hex,
  what: { readonly kind: "logs"; readonly criteria: LogCriteria } | { readonly kind: "blocks" | "pending" },
  nowMs: number,
): boolean {
  expireFilters(filters, nowMs);
  if (filters.byId.size >= filters.limits.maxFilters) return false;
  const filter: InstalledFilter =
    what.kind === "logs"
      ? { ...what, matches: logMatcher(what.criteria), logs: [], chars: 0, polledMs: nowMs }
      : { kind: what.kind, hashes: [], polledMs: nowMs };
  filters.byId.set(id, filter);
  return true;
}

/** Takes in a committed block. `logs` is asked only when a log filter could match. */
export function filtersHead(
  filters: Filters,
  block: { readonly number: bigint; readonly hash: Hash; logs(): readonly HeadLog[] },
  nowMs: number,
): void {
  expireFilters(filters, nowMs);
  for (const [id, filter] of filters.byId) {
    if (filter.kind === "blocks") collect(filters, id, filter.hashes, [block.hash]);
    if (filter.kind !== "logs" || !inRange(filter.criteria, block.number)) continue;
    const matched = block.logs().filter(filter.matches);
    for (const { json } of matched) filter.chars += json.length;
    if (filter.chars > filters.limits.maxChars) filters.byId.delete(id);
    collect(
      filters,
      id,
      filter.logs,
      matched.map((log) => log.json),
    );
  }
}

/** Takes in transactions that became executable. */
export function filtersPending(filters: Filters, hashes: readonly Hash[]): void {
  for (const [id, filter] of filters.byId) {
    if (filter.kind === "pending") collect(filters, id, filter.hashes, hashes);
  }
}

/** The live filter with that id, its clock restarted; `undefined` when there is none (any more). */
export function touchFilter(filters: Filters, id: Hex, nowMs: number): InstalledFilter | undefined {
  expireFilters(filters, nowMs);
  const filter = filters.byId.get(id);
  if (filter !== undefined) filter.polledMs = nowMs;
  return filter;
}

/** Removes the filters not polled for the timeout. */
export function expireFilters(filters: Filters, nowMs: number): void {
  for (const [id, filter] of filters.byId) {
    if (nowMs - filter.polledMs > filters.limits.timeoutMs) filters.byId.delete(id);
  }
}

function inRange({ fromBlock, toBlock }: LogCriteria, number: bigint): boolean {
  return (fromBlock === undefined || fromBlock <= number) && (toBlock === undefined || number <= toBlock);
}

function collect<T>(filters: Filters, id: Hex, buffer: T[], entries: readonly T[]): void {
  if (buffer.length + entries.length > filters.limits.maxEntries) {
    filters.byId.delete(id);
    return;
  }
  for (const entry of entries) buffer.push(entry);
}
