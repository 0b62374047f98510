/**
 * The repository interface of the aggregator: what is durable and which changes are one transaction. Every change of
 * state writes the row, an event row and its outgoing effects (signed transactions to send) together; what follows
 * the service from outside follows the events by their number. Calls throw `StoreUnavailableError` when the disk is
 * full, failing or locked; nothing of a change remains then. SQLite implements it in `sqlite/`.
 */
import type { Hash } from "@cairn/primitives";
import type { StatementKind } from "@cairn/proofs";
import type { AnchorStore } from "./anchor-store.ts";
import type { BatchStore } from "./batch-store.ts";
import type { PaymentRefusal } from "./payment/ledger.ts";
import type { LedgerStore, Payment, PaymentTerms } from "./payment/ledger-store.ts";
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

/** Intake and reading of submissions. */
export interface SubmissionStore {
  /** One durable transaction for all; outcomes in order. */
  insert(submissions: readonly NewSubmission[], nowMs: number): Promise<readonly InsertOutcome[]>;
  find(id: Hash): Promise<Submission | undefined>;
  history(seq: number): Promise<readonly HistoryEntry[]>;
  /** As `history`, of several, in their order. */
  histories(seqs: readonly number[]): Promise<readonly (readonly HistoryEntry[])[]>;
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

/** Single values that survive restarts. */
export interface SettingStore {
  setting(key: SettingKey): Promise<string | undefined>;
  set(key: SettingKey, value: string): Promise<void>;
}

/**
 * `environment`: sandbox or production. `chain`: its genesis hash. `settlement-cursor`, `vault-cursor`: last block
 * whose logs are applied. `restored`: `yes` until a store from a backup has caught up. `backup-made-at`: of that
 * backup, in milliseconds since 1970. `alarms`: those nobody acknowledged. `probe`: of health checks.
 */
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
