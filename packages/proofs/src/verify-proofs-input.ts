/** The input of the precompile VerifyProofs (packages/contracts/README.md). */
import { concatBytes } from "@cairn/primitives";
import { kindByte, readKind } from "./record.ts";
import type { VerifyKey, VerifyProofsInput, VerifySlot } from "./types.ts";
import { uint, WireError, WireReader } from "./wire.ts";

/** Tags of proof systems in `VerifyProofs` inputs, by `system/curve`. */
export const SYSTEM_TAGS = { "groth16/bn254": 1, "groth16/bls12-381": 2 } as const satisfies Record<string, number>;

/** A key or payer index that names none. */
const NONE = 0xffff;

/** The input v1 of the `VerifyProofs` precompile (docs/formats.md). Throws RangeError for what does not fit. */
export function encodeVerifyProofsInput(input: VerifyProofsInput): Uint8Array {
  if (input.keys.length >= NONE || input.payerCount >= NONE) throw new RangeError("too many keys or payers");
  return concatBytes(
    uint(1, 1),
    uint(input.keys.length, 2),
    ...input.keys.map(({ systemTag, key }) => concatBytes(uint(systemTag, 1), uint(key.length, 4), key)),
    uint(input.payerCount, 2),
    uint(input.slots.length, 4),
    ...input.slots.map((slot) => encodeSlot(slot, input)),
  );
}

/** Strict reader. Throws `WireError`. */
export function decodeVerifyProofsInput(bytes: Uint8Array): VerifyProofsInput {
  const r = new WireReader(bytes);
  if (r.number(1) !== 1) throw new WireError("not an input of version 1");
  const keys: VerifyKey[] = [];
  for (let left = r.number(2); left > 0; left -= 1) keys.push({ systemTag: r.number(1), key: r.take(r.number(4)) });
  const payerCount = r.number(2);
  const slots: VerifySlot[] = [];
  for (let left = r.number(4); left > 0; left -= 1) slots.push(decodeSlot(r));
  r.end();
  return { keys, payerCount, slots };
}

function encodeSlot(slot: VerifySlot, { keys, payerCount }: VerifyProofsInput): Uint8Array {
  return concatBytes(
    uint(kindByte(slot.kind), 1),
    uint(indexOrNone(slot.keyIndex, keys.length), 2),
    uint(indexOrNone(slot.payerIndex, payerCount), 2),
    uint(slot.priceWei, 16),
    uint(slot.proof.length, 4),
    slot.proof,
    uint(slot.publicInputs.length, 4),
    slot.publicInputs,
    uint(slot.record.length, 2),
    slot.record,
  );
}

function indexOrNone(index: number | null, count: number): number {
  if (index !== null && index >= count) throw new RangeError("an index that names nothing");
  return index ?? NONE;
}

function decodeSlot(r: WireReader): VerifySlot {
  const readIndex = (): number | null => {
    const index = r.number(2);
    return index === NONE ? null : index;
  };
  return {
    kind: readKind(r),
    keyIndex: readIndex(),
    payerIndex: readIndex(),
    priceWei: r.uint(16),
    proof: r.take(r.number(4)),
    publicInputs: r.take(r.number(4)),
    record: r.take(r.number(2)),
  };
}
