/** Blocks cut into parts. */
import { merkleRoot } from "./merkle.ts";
import { type Sha256, sha256 } from "./sha256.ts";
import type { PartSetHeader } from "./types.ts";

/** Bytes of every part but the last. */
export const PART_SIZE = 65_536;

/** The parts of a block's bytes (views) and their header. */
export interface PartSet {
  readonly header: PartSetHeader;
  readonly parts: readonly Uint8Array[];
}

/** Cuts block bytes into parts and hashes them. */
export function makePartSet(blockBytes: Uint8Array, hash: Sha256 = sha256): PartSet {
  const parts: Uint8Array[] = [];
  for (let at = 0; at < blockBytes.length; at += PART_SIZE) parts.push(blockBytes.subarray(at, at + PART_SIZE));
  return { header: { total: parts.length, hash: merkleRoot(parts, hash) }, parts };
}
