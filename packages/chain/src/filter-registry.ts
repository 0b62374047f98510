/**
 * Owns the face of installed filters (`eth_newFilter`, `eth_newBlockFilter`, `eth_newPendingTransactionFilter` and the
 * calls that poll them). The rules are in `filters.ts`; historical logs come from the native index.
 */
import { bytesToHex, type Hash, type Hex } from "@cairn/primitives";
import {
  type BlockSpan,
  expireFilters,
  type FilterKind,
  type Filters,
  type InstalledFilter,
  installFilter,
  type NewFilter,
  returnBlocks,
  takeBlocks,
  touchFilter,
} from "./filters.ts";
import type { LogCriteria } from "./head-log.ts";

/** `id`: 16 random bytes as a quantity with 32 digits, the first never 0. `too-many-filters`: the cap is reached. */
export type NewFilterOutcome =
  | { readonly ok: true; readonly id: Hex }
  | { readonly ok: false; readonly code: "too-many-filters"; readonly cap: number };

/**
 * What happened since the last poll. For logs the blocks to search, none yet when `blocks` is absent; `giveBack` makes
 * the next poll begin with a block that could not be answered. Hashes are of blocks or transactions.
 */
export type FilterChanges =
  | {
      readonly ok: true;
      readonly kind: "logs";
      readonly criteria: LogCriteria;
      readonly blocks?: BlockSpan;
      giveBack(block: bigint): void;
    }
  | { readonly ok: true; readonly kind: "blocks" | "pending"; readonly hashes: readonly Hash[] }
  | { readonly ok: false; readonly code: "filter-not-found" };

/** The criteria behind a log filter, for `eth_getFilterLogs`; `wrong-kind` names what the filter is instead. */
export type FilterCriteria =
  | { readonly ok: true; readonly criteria: LogCriteria }
  | { readonly ok: false; readonly code: "filter-not-found" }
  | { readonly ok: false; readonly code: "wrong-kind"; readonly kind: Exclude<FilterKind, "logs"> };

/** Filters installed by clients. Unpolled ones expire; one whose buffer overflows is removed. */
export interface FilterRegistry {
  /** `connection`: the lasting connection it comes over, whose cap it counts for. */
  newLogFilter(criteria: LogCriteria, connection?: symbol): NewFilterOutcome;
  newBlockFilter(connection?: symbol): NewFilterOutcome;
  newPendingTransactionFilter(connection?: symbol): NewFilterOutcome;
  changes(id: Hex): FilterChanges;
  criteria(id: Hex): FilterCriteria;
  /** Whether there was such a filter. */
  uninstall(id: Hex): boolean;
}

/** The registry over a set of filters. `clock` in milliseconds; `randomBytes` makes ids. */
export function createFilterRegistry(o: {
  readonly filters: Filters;
  readonly clock: () => number;
  readonly randomBytes: (count: number) => Uint8Array;
  /** Height of the head. */
  readonly head: () => bigint;
}): FilterRegistry {
  const { filters, clock } = o;
  const install = (what: NewFilter, connection: symbol | undefined): NewFilterOutcome => {
    const id = filterId(o.randomBytes(16));
    const owned = connection === undefined ? what : { ...what, connection };
    const refusal = installFilter(filters, id, owned, clock());
    return refusal === undefined ? { ok: true, id } : { ok: false, code: "too-many-filters", cap: refusal.cap };
  };
  return {
    newLogFilter: (criteria, by) => install({ kind: "logs", criteria, next: o.head() + 1n }, by),
    newBlockFilter: (by) => install({ kind: "blocks" }, by),
    newPendingTransactionFilter: (by) => install({ kind: "pending" }, by),
    changes: (id) => pollFilter(touchFilter(filters, lower(id), clock()), o.head()),
    criteria(id) {
      const filter = touchFilter(filters, lower(id), clock());
      if (filter === undefined) return NOT_FOUND;
      if (filter.kind !== "logs") return { ok: false, code: "wrong-kind", kind: filter.kind };
      return { ok: true, criteria: filter.criteria };
    },
    uninstall: (id) => {
      expireFilters(filters, clock());
      return filters.byId.delete(lower(id));
    },
  };
}

const NOT_FOUND = { ok: false, code: "filter-not-found" } as const;

const lower = (id: Hex): Hex => id.toLowerCase() as Hex;

function pollFilter(filter: InstalledFilter | undefined, head: bigint): FilterChanges {
  if (filter === undefined) return NOT_FOUND;
  if (filter.kind === "logs") {
    const blocks = takeBlocks(filter, head);
    const giveBack = (block: bigint): void => returnBlocks(filter, block);
    const { kind, criteria } = filter;
    return { ok: true, kind, criteria, giveBack, ...(blocks === undefined ? {} : { blocks }) };
  }
  const hashes = filter.hashes;
  filter.hashes = [];
  return { ok: true, kind: filter.kind, hashes };
}

/** 16 bytes as a quantity of 32 digits: a leading zero digit becomes 1. */
function filterId(bytes: Uint8Array): Hex {
  const hex = bytesToHex(bytes);
  return hex.startsWith("0x0") ? `0x1${hex.slice(3)}` : hex;
}
