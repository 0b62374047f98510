/**
 * Owns the rules of installed filters as steps on a plain value (Ethereum JSON-RPC `eth_newFilter` and kin). Time and
 * ids are arguments; `filter-registry.ts` is the face, historical logs are the native index's.
 *
 *   (none)    --install, below the caps-->             installed
 *   installed --poll-->                                installed (buffer emptied or blocks taken, clock restarted)
 *   installed --uninstall | not polled for the timeout | buffer full--> (none)
 */
import type { Hash, Hex } from "@cairn/primitives";
import type { LogCriteria } from "./head-log.ts";

/** What a filter watches. */
export type FilterKind = "logs" | "blocks" | "pending";

/** Bounds of all filters of one node. */
export interface FilterLimits {
  readonly maxFilters: number;
  /** Filters installed over one connection, where the transport has lasting ones. */
  readonly maxPerConnection: number;
  /** An unpolled filter is removed after this. */
  readonly timeoutMs: number;
  /** Entries one filter holds between polls; one more removes it. */
  readonly maxEntries: number;
}

/** 1,000 filters, a quarter of them over one connection, five minutes, 50,000 entries each. */
export const DEFAULT_FILTER_LIMITS: FilterLimits = {
  maxFilters: 1_000,
  maxPerConnection: 250,
  timeoutMs: 300_000,
  maxEntries: 50_000,
};

interface InstalledBase {
  polledMs: number;
  readonly connection?: symbol;
}

/** Holds no logs: the index has them. `next` is the first block it has not answered. */
interface LogFilter {
  readonly kind: "logs";
  readonly criteria: LogCriteria;
  next: bigint;
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

/** What to install: for logs the criteria and the first block to answer; the lasting connection it comes over. */
export type NewFilter = { readonly connection?: symbol } & (
  | { readonly kind: "logs"; readonly criteria: LogCriteria; readonly next: bigint }
  | { readonly kind: "blocks" | "pending" }
);

/** The cap that is reached. */
export interface NoRoomForFilter {
  readonly cap: number;
}

/** A range of blocks, both ends included. */
export interface BlockSpan {
  readonly fromBlock: bigint;
  readonly toBlock: bigint;
}

/** Installs a filter under a fresh id; the cap that is reached when it cannot. */
export function installFilter(filters: Filters, id: Hex, what: NewFilter, nowMs: number): NoRoomForFilter | undefined {
  expireFilters(filters, nowMs);
  const { maxFilters, maxPerConnection } = filters.limits;
  if (filters.byId.size >= maxFilters) return { cap: maxFilters };
  const { connection } = what;
  if (connection !== undefined && countOf(filters, connection) >= maxPerConnection) return { cap: maxPerConnection };
  const base = { polledMs: nowMs, ...(connection === undefined ? {} : { connection }) };
  const filter: InstalledFilter =
    what.kind === "logs"
      ? { ...base, kind: "logs", criteria: what.criteria, next: what.next }
      : { ...base, kind: what.kind, hashes: [] };
  filters.byId.set(id, filter);
  return undefined;
}

function countOf(filters: Filters, connection: symbol): number {
  let count = 0;
  for (const filter of filters.byId.values()) if (filter.connection === connection) count++;
  return count;
}

/** The blocks a log filter has not answered yet, up to `head`; it counts them as answered. */
export function takeBlocks(filter: LogFilter, head: bigint): BlockSpan | undefined {
  const { fromBlock = 0n, toBlock = head } = filter.criteria;
  const span = { fromBlock: filter.next, toBlock: head };
  if (span.fromBlock < fromBlock) span.fromBlock = fromBlock;
  if (span.toBlock > toBlock) span.toBlock = toBlock;
  if (filter.next <= head) filter.next = head + 1n;
  return span.fromBlock > span.toBlock ? undefined : span;
}

/** Gives blocks back that could not be answered: the next poll begins with `block` at the latest. */
export function returnBlocks(filter: LogFilter, block: bigint): void {
  if (block < filter.next) filter.next = block;
}

/** Takes in a committed block. */
export function filtersHead(filters: Filters, hash: Hash, nowMs: number): void {
  expireFilters(filters, nowMs);
  for (const [id, filter] of filters.byId) {
    if (filter.kind === "blocks") collect(filters, id, filter.hashes, [hash]);
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

function collect<T>(filters: Filters, id: Hex, buffer: T[], entries: readonly T[]): void {
  if (buffer.length + entries.length > filters.limits.maxEntries) {
    filters.byId.delete(id);
    return;
  }
  for (const entry of entries) buffer.push(entry);
}
