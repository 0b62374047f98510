/**
 * The repository interface of the aggregator: what is durable and which changes are one transaction. Every change of
 * state writes the row, an event row and its outgoing effects (signed transactions to send) together; what follows
 * the service from outside follows the events by their number. Calls throw `StoreUnavailableError` when the disk is
 * full, failing or locked; nothing of a change remains then. SQLite implements it in `sqlite/`.
 */
import type { Address, Hash, Hex } from "@cairn/primitives";
import type { ReceiptAnchor, ReceiptSettlement, StatementKind } from "@cairn/proofs";
import type { AnchorState } from "./anchor-life.ts";
import type { PendingSlot } from "./close-batch.ts";
import type { PaymentRefusal } from "./payment/ledger.ts";
import type { LedgerStore, PayerCharge, Payment, PaymentTerms } from "./payment/ledger-store.ts";
import type { AnchorCoin } from "./ports.ts";
import type { AttemptEvent, AttemptState } from "./settlement-life.ts";
import type { EventStore } from "./submission-events.ts";
import type { SubmissionState } from "./submission-life.ts";
import type { UsageStore } from "./usage.ts";
import type { VerificationKeyStore } from "./verification-keys.ts";

/** Content of a submission as intake stores it. */
export interface NewSubmission {
  readonly id: Hash;
  readonly account: string;
  /** As sent. */
  readonly chainId: string;
  /** Alias-resolved, lower-case. */
  readonly chainKey: string;
  /** Canonical decimal. */
  readonly blockNumber: string | undefined;
  readonly source: string;
  readonly proofData: string;
  readonly externalId: string | undefined;
  /** JSON text. */
  readonly metadata: string | undefined;
  readonly reorgOf: Hash | undefined;
  /** JSON text. */
  readonly evidence: string | undefined;
  /** Absent: nobody pays. */
  readonly payment?: PaymentTerms | undefined;
  /** Names the request that hands it in, when it may be repeated: 32 bytes. */
  readonly request?: Uint8Array | undefined;
}

/**
 * A submission that is stored. `requeued`: known and rejected with a code that a new try may change; `repeated`: stored
 * before, by this very request.
 */
export interface Inserted {
  readonly outcome: "inserted" | "duplicate" | "requeued" | "repeated";
  readonly submission: Submission;
}

/** What intake did with a submission: nothing is stored of one that its payer cannot pay for now. */
export type InsertOutcome = Inserted | PaymentRefusal;

/** What verification established, apart from the bytes. */
export interface ProofFacts {
  readonly kind: StatementKind;
  readonly system: string;
  readonly curve: string;
  readonly encoding: string;
  readonly version: string;
  readonly vkHash: Hash;
  readonly publicInputsHash: Hash;
  readonly proofHash: Hash;
  /** Undefined for commitments. */
  readonly statement: Hash | undefined;
  readonly salt: Hash;
}

/** A submission as read back. */
export interface Submission {
  readonly seq: number;
  readonly id: Hash;
  readonly account: string;
  readonly chainId: string;
  readonly chainKey: string;
  readonly blockNumber: string | undefined;
  readonly source: string;
  readonly externalId: string | undefined;
  readonly metadata: string | undefined;
  readonly reorgOf: Hash | undefined;
  readonly state: SubmissionState;
  /** Grows with every change. */
  readonly version: number;
  readonly receivedAtMs: number;
  readonly updatedAtMs: number;
  readonly error: { readonly code: string; readonly detail: string } | undefined;
  readonly facts: ProofFacts | undefined;
  /** The verified submission of the same statement that this one shares batch, receipt and bytes with. */
  readonly duplicateOf: { readonly seq: number; readonly id: Hash } | undefined;
  readonly batch: { readonly number: number; readonly index: number } | undefined;
  readonly payment: SubmissionPayment | undefined;
}

/** What a submission costs, and whether it is paid; undefined: nobody pays. */
export type SubmissionPayment = Pick<Payment, "mode" | "state" | "priceWei">;

/** A state reached. */
export interface HistoryEntry {
  readonly state: SubmissionState;
  readonly atMs: number;
}

/** Filters of a listing; newest first. */
export interface SubmissionQuery {
  readonly account: string;
  readonly limit: number;
  /** Only with a lower row key. */
  readonly before?: number;
  readonly state?: SubmissionState;
  readonly chainKey?: string;
  readonly sinceMs?: number;
  readonly proofHash?: Hash;
  readonly statement?: Hash;
  readonly externalId?: string;
}

/** A submission that waits for verification. */
export interface ReceivedProof {
  readonly seq: number;
  readonly account: string;
  readonly chainKey: string;
  readonly blockNumber: string | undefined;
  readonly proofData: string;
  readonly payment: Payment | undefined;
}

/** A verdict with what follows from it, ready to be stored. */
export type VerdictRecord =
  | {
      readonly ok: true;
      readonly seq: number;
      readonly facts: ProofFacts;
      /** Identity for statement de-duplication; undefined for commitments. */
      readonly statementKey: Uint8Array | undefined;
      readonly canonicalProof: Uint8Array;
      readonly canonicalKey: Uint8Array;
      readonly publicInputs: Uint8Array;
      /** Record v1. */
      readonly record: Uint8Array;
      readonly leaf: Uint8Array;
      /** What it costs, now that its system is known; at most what is reserved. Undefined: as reserved. */
      readonly priceWei: bigint | undefined;
    }
  | { readonly ok: false; readonly seq: number; readonly code: string; readonly detail: string };

/** A slot of a closed batch with everything that settles it. */
export interface BatchSlot {
  readonly seq: number;
  readonly index: number;
  readonly kind: StatementKind;
  readonly system: string;
  readonly curve: string;
  readonly vkHash: Hash;
  readonly canonicalProof: Uint8Array;
  readonly canonicalKey: Uint8Array;
  readonly publicInputs: Uint8Array;
  readonly record: Uint8Array;
  /** Charged by the vault for this slot. */
  readonly payment: { readonly payer: Address; readonly priceWei: bigint } | undefined;
}

/** A batch's own state: its submissions' state, seen from the batch. */
export type BatchState = "batched" | "settled" | "anchored" | "final";

/** What settlement fixed of a batch. */
export interface BatchSettlement {
  readonly root: Hash;
  readonly header: Hex;
  readonly commitment: Hash;
  readonly previous: Hash;
  readonly verified: number;
  readonly commitments: number;
  /** Indices. */
  readonly excluded: readonly number[];
  readonly transactionHash: Hash;
  readonly block: number;
}

/** A batch. */
export interface Batch {
  readonly number: number;
  readonly state: BatchState;
  readonly size: number;
  readonly bytes: number;
  readonly closedAtMs: number;
  readonly settlement: (BatchSettlement & { readonly settledAtMs: number }) | undefined;
  readonly anchor: { readonly sequence: number; readonly index: number } | undefined;
}

/** One signed settlement transaction of a batch. */
export interface SettlementAttempt {
  readonly batch: number;
  /** From 1. */
  readonly attempt: number;
  readonly nonce: number;
  readonly hash: Hash;
  readonly state: AttemptState;
  readonly signedAtMs: number;
}

/** A batch that is not settled yet, with its newest attempt. */
export interface UnsettledBatch {
  readonly number: number;
  readonly size: number;
  readonly attempt: SettlementAttempt | undefined;
}

/** One signed form of an anchor. Each fee bump is one; at most one is ever confirmed. */
export interface AnchorVariant {
  readonly rawTx: Uint8Array;
  readonly txid: string;
  /** What it spends first: the same for all variants, unless a reorg gave the predecessor another change. */
  readonly input: AnchorCoin;
  readonly change: AnchorCoin;
  readonly feeSat: number;
  /** Tip when it was signed. */
  readonly signedHeight: number;
}

/**
 * An anchor. Txids and block hashes in display order. `rawTx`, `txid`, `input`, `change` and `feeSat` are those of its
 * current variant: the mined one, else the newest.
 */
export interface Anchor {
  readonly sequence: number;
  readonly state: AnchorState;
  readonly network: string;
  readonly size: number;
  readonly root: Hash;
  readonly header: Hex;
  readonly commitment: Hash;
  readonly rawTx: Uint8Array;
  readonly txid: string;
  readonly input: AnchorCoin;
  readonly change: AnchorCoin;
  readonly feeSat: number;
  /** All variants, oldest first. */
  readonly variants: readonly { readonly txid: string; readonly signedHeight: number }[];
  /** Tip when it was signed first, or lower after a reorg: it can only be in a higher block. */
  readonly fromHeight: number;
  readonly createdAtMs: number;
  readonly mined: { readonly height: number; readonly blockHash: string; readonly atMs: number } | undefined;
  readonly finalAtMs: number | undefined;
}

/** Intake and reading of submissions. */
export interface SubmissionStore {
  /** One durable transaction for all; outcomes in order. */
  insert(submissions: readonly NewSubmission[], nowMs: number): Promise<readonly InsertOutcome[]>;
  find(id: Hash): Promise<Submission | undefined>;
  history(seq: number): Promise<readonly HistoryEntry[]>;
  list(query: SubmissionQuery): Promise<readonly Submission[]>;
  /** Oldest `received`, bounded by count and by characters of proof data (at least one is given). */
  received(limit: number, maxCharacters: number): Promise<readonly ReceivedProof[]>;
  countByState(): Promise<Readonly<Record<SubmissionState, number>>>;
  recordVerdicts(verdicts: readonly VerdictRecord[], nowMs: number): Promise<void>;
  canonicalProof(seq: number): Promise<Uint8Array | undefined>;
  /** As it was sent. */
  proofData(seq: number): Promise<string | undefined>;
  record(seq: number): Promise<Uint8Array | undefined>;
}

/** How the payments of a settled batch ended. */
export interface SettledPayments {
  /** By the vault. */
  readonly charges: readonly PayerCharge[];
  /** Mock payments fall short (a fault of the sandbox). */
  readonly mockShort: boolean;
}

/** Batches and their settlement. */
export interface BatchStore {
  /** Verified originals in no batch, in order of intake. */
  pending(limit: number): Promise<readonly PendingSlot[]>;
  /** Fixes the slots' positions in their order; the number is the next one. */
  closeBatch(o: { readonly slots: readonly number[]; readonly bytes: number }, nowMs: number): Promise<number>;
  slots(number: number): Promise<readonly BatchSlot[]>;
  /** Leaf hashes in order, excluded slots with their constant leaf where settlement said so. */
  leaves(number: number): Promise<readonly Uint8Array[]>;
  unsettled(limit: number): Promise<readonly UnsettledBatch[]>;
  /** Highest nonce ever signed; undefined: none. */
  lastNonce(): Promise<number | undefined>;
  /** Writes the signed transaction before it is sent. */
  addAttempt(o: SettlementAttempt & { readonly raw: Uint8Array }): Promise<void>;
  attemptRaw(batch: number, attempt: number): Promise<Uint8Array | undefined>;
  moveAttempt(batch: number, attempt: number, event: AttemptEvent): Promise<void>;
  /**
   * Batch, attempt, submissions, excluded slots, payments and the receipts' shared part, in one transaction.
   * Repeatable. Rejects, and changes nothing, when the vault charged another amount than is reserved.
   */
  settle(
    number: number,
    settlement: BatchSettlement,
    receiptPart: ReceiptSettlement,
    nowMs: number,
    payments?: SettledPayments,
  ): Promise<{ readonly applied: boolean }>;
  batch(number: number): Promise<Batch | undefined>;
  batches(o: { readonly limit: number; readonly before?: number }): Promise<readonly Batch[]>;
  batchByCommitment(commitment: Hash): Promise<Batch | undefined>;
  receiptSettlement(number: number): Promise<ReceiptSettlement | undefined>;
}

/** An anchor with its first variant, as it is made. */
export type NewAnchor = Omit<Anchor, "state" | "mined" | "finalAtMs" | "variants">;

/** Anchors. */
export interface AnchorStore {
  /** Settled batches in no anchor, by number. */
  unanchored(limit: number): Promise<readonly Batch[]>;
  /** Anchor and its batches' positions; nothing is sent before this is durable. */
  createAnchor(anchor: NewAnchor, batches: readonly number[]): Promise<void>;
  /** A further variant, which becomes the current one; not sent before this is durable. */
  addVariant(sequence: number, variant: AnchorVariant): Promise<void>;
  /** Not final, by sequence. */
  openAnchors(): Promise<readonly Anchor[]>;
  /** Final ones, newest first. */
  finalAnchors(o: { readonly limit: number; readonly before?: number }): Promise<readonly Anchor[]>;
  lastAnchor(): Promise<Anchor | undefined>;
  anchorAccepted(sequence: number): Promise<void>;
  /** Anchor and its batches with their receipts' part; the variant that was mined becomes the current one. */
  anchorMined(
    sequence: number,
    block: { readonly height: number; readonly blockHash: string; readonly txid: string },
    receiptParts: ReadonlyMap<number, ReceiptAnchor>,
    nowMs: number,
  ): Promise<void>;
  /** Its block left the best chain: back to `settled`; from here on it may be mined again above `fromHeight`. */
  anchorLost(sequence: number, event: "reorged" | "orphaned", fromHeight: number, nowMs: number): Promise<void>;
  anchorFinal(sequence: number, nowMs: number): Promise<void>;
  /** An unconfirmed anchor that can never confirm goes, with those after it; their batches are in no anchor again. */
  anchorDisplaced(sequence: number): Promise<void>;
  anchor(sequence: number): Promise<Anchor | undefined>;
  anchors(o: { readonly limit: number; readonly before?: number }): Promise<readonly Anchor[]>;
  anchorByCommitment(commitment: Hash): Promise<Anchor | undefined>;
  /** Batches of an anchor in order. */
  anchorBatches(sequence: number): Promise<readonly Batch[]>;
  receiptAnchor(batch: number): Promise<ReceiptAnchor | undefined>;
}

/** Single values that survive restarts. */
export interface SettingStore {
  setting(key: SettingKey): Promise<string | undefined>;
  set(key: SettingKey, value: string): Promise<void>;
}

/** `environment`: sandbox or production. `chain`: its genesis hash. `settlement-cursor`, `vault-cursor`: last block whose logs are applied. `restored`: `yes` until a store from a backup has caught up. `backup-made-at`: of that backup, in milliseconds since 1970. `alarms`: those nobody acknowledged. `probe`: of health checks. */
export type SettingKey =
  | "environment"
  | "chain"
  | "settlement-cursor"
  | "batch-base"
  | "batch-base-commitment"
  | "anchor-network"
  | "vault-cursor"
  | "alarms"
  | "restored"
  | "backup-made-at"
  | "probe";

/** Everything durable of the aggregator. */
export interface Store
  extends SubmissionStore,
    BatchStore,
    AnchorStore,
    EventStore,
    VerificationKeyStore,
    SettingStore,
    LedgerStore,
    UsageStore {
  close(): Promise<void>;
}
