/** The slots of a closed batch as the `VerifyProofs` input that its settlement carries (packages/contracts/README.md). */
import type { Address } from "@cairn/primitives";
import { encodeVerifyProofsInput, SYSTEM_TAGS, type VerifyKey } from "@cairn/proofs";
import type { BatchSlot } from "./batch-store.ts";

/** A batch as its settlement carries it. */
export interface BatchInput {
  readonly bytes: Uint8Array;
  /** Named by the slots' payer indices. */
  readonly payers: readonly Address[];
}

/** Encodes slots in order; each key and each payer stands once. */
export function batchInput(slots: readonly BatchSlot[]): BatchInput {
  const payers = [...new Set(slots.flatMap((slot) => (slot.payment === undefined ? [] : [slot.payment.payer])))];
  const keys: VerifyKey[] = [];
  const keyIndexes = new Map<string, number>();
  const keyIndexOf = (slot: BatchSlot): number | null => {
    if (slot.kind === "commitment") return null;
    const known = keyIndexes.get(slot.vkHash);
    if (known !== undefined) return known;
    keyIndexes.set(slot.vkHash, keys.length);
    keys.push({ systemTag: systemTag(slot), key: slot.canonicalKey });
    return keys.length - 1;
  };
  const encoded = slots.map((slot) => ({
    kind: slot.kind,
    keyIndex: keyIndexOf(slot),
    payerIndex: slot.payment === undefined ? null : payers.indexOf(slot.payment.payer),
    priceWei: slot.payment?.priceWei ?? 0n,
    proof: slot.canonicalProof,
    publicInputs: slot.publicInputs,
    record: slot.record,
  }));
  return { bytes: encodeVerifyProofsInput({ keys, payerCount: payers.length, slots: encoded }), payers };
}

/** A verified proof of a system that consensus does not verify: the verifier and the chain do not fit together. */
export class UnknownSystemTagError extends Error {
  override readonly name = "UnknownSystemTagError";
}

function systemTag(slot: BatchSlot): number {
  const name = `${slot.system}/${slot.curve}`;
  const found = Object.entries(SYSTEM_TAGS).find(([known]) => known === name);
  if (found === undefined) throw new UnknownSystemTagError(`consensus has no tag for ${name}`);
  return found[1];
}
