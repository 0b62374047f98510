/** The anchor header, its leaf and its commitment (docs/formats.md). */
import { concatBytes, sha256 } from "@cairn/primitives";
import { leafHash } from "./leaf.ts";
import type { AnchorHeader } from "./types.ts";
import { fixed, uint, WireError, WireReader } from "./wire.ts";

/** Leaf of the anchor tree for a batch commitment: H(0x00 ‖ commitment). */
export function anchorLeaf(commitment: Uint8Array): Uint8Array {
  return leafHash(fixed(commitment, 32));
}

/** Anchor header v1 (docs/formats.md): 45 bytes. Throws RangeError. */
export function anchorHeader(header: AnchorHeader): Uint8Array {
  return concatBytes(anchorHeaderPrefix(header), fixed(header.root, 32));
}

/** What stands before the root. */
export function anchorHeaderPrefix(header: AnchorHeader): Uint8Array {
  return concatBytes(uint(1, 1), uint(header.sequence, 8), uint(header.size, 4));
}

/** Strict reader. Throws `WireError`. */
export function parseAnchorHeader(bytes: Uint8Array): AnchorHeader {
  const r = new WireReader(bytes);
  if (r.number(1) !== 1) throw new WireError("not an anchor header of version 1");
  const header = { sequence: r.uint(8), size: r.number(4), root: r.take(32) };
  r.end();
  if (header.sequence === 0n || header.size === 0) throw new WireError("sequences and sizes start at 1");
  return header;
}

/** H(anchor header). */
export function anchorCommitment(header: Uint8Array): Uint8Array {
  return sha256(header);
}
