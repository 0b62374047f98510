/**
 * Owns the face of installed filters (`eth_newFilter`, `eth_newBlockFilter`, `eth_newPendingTransactionFilter` and the
 * calls that poll them). The rules are in `filters.ts`; historical logs come from the native index.
 */
import type { Hash, Hex } from "@cairn/primitives";
import type { LogCriteria } from "./head-log.ts";

/** What a filter watches. */
export type FilterKind = "logs" | "blocks" | "pending";

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
