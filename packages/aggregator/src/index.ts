/** A submission's life until final: verify, batch, settle, anchor; and its store. */
export {
  type Aggregator,
  type AggregatorOptions,
  type AggregatorPolicy,
  createAggregator,
  SANDBOX_POLICY,
  type WorkerName,
} from "./aggregator.ts";
export type { AnchorEvent, AnchorState } from "./anchor-life.ts";
export { NetworkMismatchError } from "./anchorer.ts";
export { type BatchDecision, type BatchPolicy, closeBatch, type PendingSlot } from "./close-batch.ts";
export { canonicalChainId, type SubmissionRequest, type SubmitOutcome } from "./intake.ts";
export type {
  AnchorCoin,
  AnchorPort,
  BroadcastOutcome,
  Clock,
  Log,
  SendOutcome,
  SettledEvent,
  SettlementPort,
  SignedAnchor,
  SignedSettlement,
  Verdict,
  VerifierPort,
} from "./ports.ts";
export type { ReceiptInfo, ReceiptOutcome } from "./receipts.ts";
export { SettlementMismatchError } from "./settlement-log.ts";
export { ChainMismatchError } from "./settler.ts";
export { blob, CorruptStoreError, hex, integer, oneOf, optional, text } from "./sqlite/columns.ts";
export { type Database, openDatabase, type Row, StoreUnavailableError, StoreVersionError } from "./sqlite/database.ts";
export { openThreadedStore } from "./sqlite/threaded-store.ts";
export type {
  Anchor,
  Batch,
  BatchState,
  HistoryEntry,
  InsertOutcome,
  NewSubmission,
  ProofFacts,
  Store,
  Submission,
  SubmissionQuery,
} from "./store.ts";
export type { EventPage, EventStore, SubmissionEventRecord } from "./submission-events.ts";
export {
  isTerminal,
  SUBMISSION_STATES,
  type SubmissionEvent,
  type SubmissionState,
  submissionStep,
} from "./submission-life.ts";
