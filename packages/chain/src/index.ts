/** The chain: ABCI application, transaction pool, head feed, filters, genesis. */
export type { BlockTag, Chain, ChainReads, HeadEvent, PendingEvent, PoolContent, PoolView } from "./chain.ts";
export type { FilterChanges, FilterCriteria, FilterKind, FilterRegistry, NewFilterOutcome } from "./filter-registry.ts";
export { type HeadLog, type LogCriteria, matchesLog, parseHeadLogs } from "./head-log.ts";
export type { Log } from "./log.ts";
export { effectiveTipWei, type PooledTx, txCostWei } from "./pooled-tx.ts";
export type { Accepted, Inadmissible, PoolRefusal, SubmissionClosed, SubmitOutcome } from "./submission.ts";
