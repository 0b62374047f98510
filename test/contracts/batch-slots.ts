/** Slots of batches for tests of the contracts: commitments, which need no proof. */
import { sha256 } from "@cairn/primitives";
import { encodeVerifyProofsInput, recordV1, type VerifySlot } from "@cairn/proofs";

const zeros = new Uint8Array(32);

/** A commitment slot; a broken record makes it one that is excluded. */
export function slot(index: number, broken = false): VerifySlot {
  const proof = sha256(Uint8Array.of(index & 0xff, index >> 8));
  const record = recordV1({
    kind: "commitment",
    system: "commitment",
    curve: "",
    encoding: "",
    version: "",
    vkHash: zeros,
    publicInputsHash: zeros,
    chainId: "1",
    blockNumber: BigInt(index),
    salt: zeros,
  });
  const kept = broken ? record.slice(1) : record;
  return {
    kind: "commitment",
    keyIndex: null,
    payerIndex: null,
    priceWei: 0n,
    proof,
    publicInputs: new Uint8Array(),
    record: kept,
  };
}

/** One slot that somebody pays for. */
export interface PaidSlot {
  readonly payerIndex: number;
  readonly priceWei: bigint;
  readonly excluded?: boolean;
}

/** A batch of slots with these payers. */
export function paidBatch(payerCount: number, slots: readonly PaidSlot[]): Uint8Array {
  const encoded = slots.map(({ payerIndex, priceWei, excluded }, index) => ({
    ...slot(index, excluded),
    payerIndex,
    priceWei,
  }));
  return encodeVerifyProofsInput({ keys: [], payerCount, slots: encoded });
}
