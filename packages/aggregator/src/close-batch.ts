/** When a batch closes and what it takes (proof-service: batches, settlement). Pure. */

/** Bounds of a batch. */
export interface BatchPolicy {
  /** Slots of a full batch. */
  readonly batchSlots: number;
  /** A batch closes at the latest this long after its oldest submission was verified. */
  readonly batchIntervalMs: number;
  /** Bound on the encoded `VerifyProofs` input. */
  readonly batchBytes: number;
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
  readonly verifiedAtMs: number;
}

/** What to do now. */
export type BatchDecision =
  | { readonly close: true; readonly take: number; readonly bytes: number }
  /** Nothing closes before `waitMs`; undefined: nothing waits. */
  | { readonly close: false; readonly waitMs: number | undefined };

const FRAME_BYTES = 16;

/**
 * Decides over the pending slots, oldest first. A slot that alone exceeds `batchBytes` makes a batch of its own. At
 * least one slot is taken when it closes; never more than `batchSlots`.
 */
export function closeBatch(pending: readonly PendingSlot[], policy: BatchPolicy, nowMs: number): BatchDecision {
  const keys = new Set<string>();
  let bytes = FRAME_BYTES;
  let take = 0;
  let full = false;
  for (const slot of pending) {
    const key = slot.vkHash === undefined || keys.has(slot.vkHash) ? 0 : slot.keyBytes;
    full = take > 0 && bytes + slot.slotBytes + key > policy.batchBytes;
    if (full) break;
    bytes += slot.slotBytes + key;
    if (slot.vkHash !== undefined) keys.add(slot.vkHash);
    take += 1;
    full = take === policy.batchSlots;
    if (full) break;
  }
  if (take === 0) return { close: false, waitMs: undefined };
  const oldest = pending.reduce((least, slot) => Math.min(least, slot.verifiedAtMs), nowMs);
  const waitMs = oldest + policy.batchIntervalMs - nowMs;
  return full || waitMs <= 0 ? { close: true, take, bytes } : { close: false, waitMs };
}
