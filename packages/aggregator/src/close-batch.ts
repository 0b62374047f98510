/** When a batch closes and what it takes (proof-service: batches, settlement). Pure. */
import { settlementGasLimit } from "./settlement-gas.ts";

/** Bounds of a batch. */
export interface BatchPolicy {
  /** Slots of a full batch. */
  readonly batchSlots: number;
  /** A batch closes at the latest this long after its oldest submission was verified. */
  readonly batchIntervalMs: number;
  /** Bound on the encoded `VerifyProofs` input. */
  readonly batchBytes: number;
  /** Bound on the gas of its settlement, well below a block's. */
  readonly batchGas: number;
}

/** A verified submission that waits for a batch, in order of intake. */
export interface PendingSlot {
  /** Key of the row. */
  readonly seq: number;
  /** Encoded size of its slot. */
  readonly slotBytes: number;
  /** Identity of its verification key; undefined: none (a commitment). */
  readonly vkHash: string | undefined;
  /** Encoded size of that key; counted once per batch. */
  readonly keyBytes: number;
  /** Price of its slot in consensus. */
  readonly slotGas: number;
  /** Price of its key; counted once per batch. */
  readonly keyGas: number;
  /** Who the vault charges for it; each is charged once per batch. */
  readonly payer: string | undefined;
  readonly verifiedAtMs: number;
}

/** What to do now. */
export type BatchDecision =
  | { readonly close: true; readonly take: number; readonly bytes: number }
  /** Nothing closes before `waitMs`; undefined: nothing waits. */
  | { readonly close: false; readonly waitMs: number | undefined };

const FRAME_BYTES = 16;

/**
 * Decides over the pending slots, oldest first. A slot that alone exceeds a bound makes a batch of its own. At least
 * one slot is taken when it closes; never more than `batchSlots`.
 */
export function closeBatch(pending: readonly PendingSlot[], policy: BatchPolicy, nowMs: number): BatchDecision {
  const { take, bytes, full } = fill(pending, policy);
  if (take === 0) return { close: false, waitMs: undefined };
  const oldest = pending.reduce((least, slot) => Math.min(least, slot.verifiedAtMs), nowMs);
  const waitMs = oldest + policy.batchIntervalMs - nowMs;
  return full || waitMs <= 0 ? { close: true, take, bytes } : { close: false, waitMs };
}

/** The longest prefix within the bounds, and whether a bound ended it. */
function fill(pending: readonly PendingSlot[], policy: BatchPolicy): { take: number; bytes: number; full: boolean } {
  const keys = new Set<string>();
  const payers = new Set<string>();
  let bytes = FRAME_BYTES;
  let verificationGas = 0;
  for (const [take, slot] of pending.entries()) {
    const isNewKey = slot.vkHash !== undefined && !keys.has(slot.vkHash);
    const nextBytes = bytes + slot.slotBytes + (isNewKey ? slot.keyBytes : 0);
    const nextGas = verificationGas + slot.slotGas + (isNewKey ? slot.keyGas : 0);
    const nextPayers = slot.payer === undefined || payers.has(slot.payer) ? payers.size : payers.size + 1;
    const gasLimit = settlementGasLimit({ batchBytes: nextBytes, verificationGas: nextGas, payers: nextPayers });
    const fits = nextBytes <= policy.batchBytes && gasLimit <= policy.batchGas;
    if (take === policy.batchSlots || (take > 0 && !fits)) return { take, bytes, full: true };
    bytes = nextBytes;
    verificationGas = nextGas;
    if (slot.vkHash !== undefined) keys.add(slot.vkHash);
    if (slot.payer !== undefined) payers.add(slot.payer);
  }
  return { take: pending.length, bytes, full: pending.length === policy.batchSlots };
}
