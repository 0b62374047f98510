/**
 * Owns the face of installed filters (`eth_newFilter`, `eth_newBlockFilter`, `eth_newPendingTransactionFilter` and the
 * calls that poll them). The rules are in `filters.ts`; historical logs come from the native index.
 */
import { bytesToHex, type Hash, type Hex } from "@cairn/primitives";
import {
  expireFilters,
  type FilterKind,
  type Filters,
  type InstalledFilter,
  installFilter,
  touchFilter,
} from "./filters.ts";
import type { LogCriteria } from "./head-log.ts";

/** `id`: 16 random bytes as a quantity with 32 digits, the first never 0. `too-many-filters`: the cap is reached. */
export type NewFilterOutcome =
  | { readonly ok: true; readonly id: Hex }
  | { readonly ok: false; readonly code: "too-many-filters"; readonly cap: number };

/** What happened since the last poll. Logs are finished JSON text, hashes are of blocks or transactions. */
export type FilterChanges =
  | { readonly ok: true; readonly kind: "logs"; readonly logsJson: string }
  | { readonly ok: true; readonly kind: "blocks" | "pending"; readonly hashes: readonly Hash[] }
  | { readonly ok: false; readonly code: "filter-not-found" };

/** The criteria behind a log filter, for `eth_getFilterLogs`; `wrong-kind` names what the filter is instead. */
export type FilterCriteria =
  | { readonly ok: true; readonly criteria: LogCriteria }
  | { readonly ok: false; readonly code: "filter-not-found" }
  | { readonly ok: false; readonly code: "wrong-kind"; readonly kind: Exclude<FilterKind, "logs"> };

/** Filters installed by clients. Unpolled ones expire; one whose buffer overflows is removed. */
export interface FilterRegistry {
  newLogFilter(criteria: LogCriteria): NewFilterOutcome;
  newBlockFilter(): NewFilterOutcome;
  newPendingTransactionFilter(): NewFilterOutcome;
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
}): FilterRegistry {
  const { filters, clock } = o;
  const install = (what: Parameters<typeof installFilter>[2]): NewFilterOutcome => {
    const id = filterId(o.randomBytes(16));
    if (installFilter(filters, id, what, clock())) return { ok: true, id };
    return { ok: false, code: "too-many-filters", cap: filters.limits.maxFilters };
  };
  return {
    newLogFilter: (criteria) => install({ kind: "logs", criteria }),
    newBlockFilter: () => install({ kind: "blocks" }),
    newPendingTransactionFilter: () => install({ kind: "pending" }),
    changes: (id) => pollFilter(touchFilter(filters, lower(id), clock())),
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

function pollFilter(filter: InstalledFilter | undefined): FilterChanges {
  if (filter === undefined) return NOT_FOUND;
  if (filter.kind === "logs") {
    const logsJson = `[${filter.logs.join(",")}]`;
    filter.logs = [];
    filter.chars = 0;
    return { ok: true, kind: "logs", logsJson };
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
