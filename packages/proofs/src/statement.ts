/** Hashes that say what was proven: verification key, public inputs, statement. All 32 bytes. */
import { concatBytes, sha256 } from "@cairn/primitives";
import { fixed, str, text, uint } from "./wire.ts";

/** H("cairn/vk/1" ‖ system ‖ curve ‖ canonical key). */
export function vkHash(o: { system: string; curve: string; canonicalKey: Uint8Array }): Uint8Array {
  return sha256(concatBytes(text("cairn/vk/1"), str(o.system), str(o.curve), o.canonicalKey));
}

/** H(u32 count ‖ each input as 32 bytes big-endian). `inputs` is their concatenation. Throws RangeError. */
export function publicInputsHash(inputs: Uint8Array): Uint8Array {
  if (inputs.length % 32 !== 0) throw new RangeError("public inputs have 32 bytes each");
  return sha256(concatBytes(uint(inputs.length / 32, 4), inputs));
}

/** For systems whose public input is a byte string: H(u32 length ‖ bytes). */
export function publicBytesHash(bytes: Uint8Array): Uint8Array {
  return sha256(concatBytes(uint(bytes.length, 4), bytes));
}

/** H("cairn/statement/1" ‖ system ‖ version ‖ vk_hash ‖ public_inputs_hash). */
export function statementHash(o: {
  system: string;
  version: string;
  vkHash: Uint8Array;
  publicInputsHash: Uint8Array;
}): Uint8Array {
  const hashes = concatBytes(fixed(o.vkHash, 32), fixed(o.publicInputsHash, 32));
  return sha256(concatBytes(text("cairn/statement/1"), str(o.system), str(o.version), hashes));
}
