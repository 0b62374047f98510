/** A submission's life until final: verify, batch, settle, anchor; and its store. */
export {
  type Aggregator,
  type AggregatorOptions,
  type AggregatorPolicy,
  createAggregator,
  type PaymentParts,
  SANDBOX_POLICY,
  WORKER_NAMES,
  type WorkerName,
} from "./aggregator.ts";
export type { AnchorEvent, AnchorState } from "./anchor-life.ts";
export type { Anchor } from "./anchor-store.ts";
export { NetworkMismatchError } from "./anchorer.ts";
export type { Batch, BatchState } from "./batch-store.ts";
export { type BatchDecision, type BatchPolicy, closeBatch, type PendingSlot } from "./close-batch.ts";
export { canonicalChainId, type SubmissionRequest, type SubmitOutcome } from "./intake.ts";
export { resolvingVerifier } from "./key-resolution.ts";
export { keyShape } from "./key-shape.ts";
export {
  availableWei,
  type LedgerAccount,
  type LedgerKind,
  ledgerMove,
  type PayerBooks,
  type PaymentMode,
  spentToday,
} from "./payment/ledger.ts";
export type {
  LedgerEntry,
  LedgerStore,
  PayerCharge,
  Payment,
  PaymentTerms,
  PlacedVaultEvent,
  VaultLog,
} from "./payment/ledger-store.ts";
export {
  type PriceParts,
  type PricePlan,
  type PricePlans,
  pricedAs,
  priceOf,
  reservedPrice,
  STANDARD_PLAN,
} from "./payment/price.ts";
export type {
  AnchorCoin,
  AnchorPort,
  AnchorSpend,
  BroadcastOutcome,
  Clock,
  Log,
  ProfilePort,
  ProofItem,
  ProofProfile,
  SendOutcome,
  SettledEvent,
  SettlementPort,
  SignedAnchor,
  SignedSettlement,
  VaultPort,
  Verdict,
  VerifierPort,
} from "./ports.ts";
export type { ReceiptInfo, ReceiptOutcome } from "./receipts.ts";
export { SettlementMismatchError } from "./settlement-log.ts";
export { ChainMismatchError } from "./settler.ts";
export { blob, CorruptStoreError, hex, integer, oneOf, optional, text } from "./sqlite/columns.ts";
export {
  type Database,
  openDatabase,
  type Row,
  StoreLostError,
  StoreUnavailableError,
  StoreVersionError,
} from "./sqlite/database.ts";
export { openThreadedStore } from "./sqlite/threaded-store.ts";
export type {
  HistoryEntry,
  Inserted,
  InsertOutcome,
  NewSubmission,
  ProofFacts,
  Store,
  Submission,
  SubmissionQuery,
} from "./store.ts";
export type { EventPage, EventStore, SubmissionEventRecord } from "./submission-events.ts";
export {
  SUBMISSION_STATES,
  type SubmissionEvent,
  type SubmissionState,
  submissionStep,
} from "./submission-life.ts";
export type { UsageRow } from "./usage.ts";
export type { NewVerificationKey, VerificationKey, VerificationKeyStore } from "./verification-keys.ts";
