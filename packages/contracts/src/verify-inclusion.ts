/** The call of `ProofHub.verifyInclusion`: what a contract asks to know that a proof was verified and settled. */
import { dynamicBytes, join, uintWord, WORD } from "./abi-word.ts";
import { fromHex, type Hex } from "./hex.ts";

/** `verifyInclusion(bytes32,bytes,bytes32,uint32,bytes32[])`. */
const VERIFY_INCLUSION = "0x6e275fb4";

/** Its arguments, as a receipt's `batch` and `leaf` hold them. */
export interface Inclusion {
  readonly commitment: Hex;
  /** The batch header whose hash the commitment is. */
  readonly header: Hex;
  /** Leaf hash. */
  readonly leaf: Hex;
  readonly index: number;
  /** Siblings from the leaf up. */
  readonly path: readonly Hex[];
}

/** Call data of `verifyInclusion`. Throws RangeError for a hash that has no 32 bytes. */
export function encodeVerifyInclusionCall(o: Inclusion): Uint8Array {
  const header = dynamicBytes(fromHex(o.header));
  const headerLength = header.reduce((length, part) => length + part.length, 0);
  const head = 5 * WORD;
  return join([
    fromHex(VERIFY_INCLUSION),
    hashWord(o.commitment),
    uintWord(BigInt(head)),
    hashWord(o.leaf),
    uintWord(BigInt(o.index), 32),
    uintWord(BigInt(head + headerLength)),
    ...header,
    uintWord(BigInt(o.path.length)),
    ...o.path.map(hashWord),
  ]);
}

function hashWord(hash: Hex): Uint8Array {
  const bytes = fromHex(hash);
  if (bytes.length !== WORD) throw new RangeError("not a hash of 32 bytes");
  return bytes;
}
