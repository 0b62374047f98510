/** The leaf of a proof in its batch (docs/formats.md). */
import { concatBytes, sha256 } from "@cairn/primitives";
import { fixed, text } from "./wire.ts";

const LEAF = Uint8Array.of(0);

/** proof_hash ‖ H(record): 64 bytes. */
export function leafPreimage(proofHash: Uint8Array, record: Uint8Array): Uint8Array {
  return concatBytes(fixed(proofHash, 32), sha256(record));
}

/** H(0x00 ‖ preimage): a leaf of the batch tree, or of the anchor tree with a batch commitment as preimage. */
export function leafHash(preimage: Uint8Array): Uint8Array {
  return sha256(concatBytes(LEAF, preimage));
}

/** The leaf of a slot that consensus excluded. */
export function excludedLeaf(): Uint8Array {
  return leafHash(text("excluded"));
}
