/** Batches as they are kept: slots, settlement attempts, what settlement fixed. Part of the repository interface. */
import type { Address, Hash, Hex } from "@cairn/primitives";
import type { ReceiptSettlement, StatementKind } from "@cairn/proofs";
import type { PendingSlot } from "./close-batch.ts";
import type { PayerCharge } from "./payment/ledger-store.ts";
import type { AttemptEvent, AttemptState } from "./settlement-life.ts";

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
