/** The batch header and its commitment (docs/formats.md). */
import { concatBytes, sha256 } from "@cairn/primitives";
import type { BatchHeader } from "./types.ts";
import { fixed, uint, WireError, WireReader } from "./wire.ts";

/** Length of a batch header in bytes. */
export const BATCH_HEADER_BYTES = 105;

/** Batch header v1 (docs/formats.md). Throws RangeError. */
export function batchHeader(header: BatchHeader): Uint8Array {
  return concatBytes(batchHeaderPrefix(header), fixed(header.root, 32), fixed(header.previous, 32));
}

/** What stands before the root. */
export function batchHeaderPrefix(header: BatchHeader): Uint8Array {
  const { chainId, submitter, number, size } = header;
  return concatBytes(uint(1, 1), uint(chainId, 8), fixed(submitter, 20), uint(number, 8), uint(size, 4));
}

/** Strict reader. Throws `WireError`. */
export function parseBatchHeader(bytes: Uint8Array): BatchHeader {
  const r = new WireReader(bytes);
  if (r.number(1) !== 1) throw new WireError("not a batch header of version 1");
  const header = {
    chainId: r.uint(8),
    submitter: r.take(20),
    number: r.uint(8),
    size: r.number(4),
    root: r.take(32),
    previous: r.take(32),
  };
  r.end();
  if (header.number === 0n || header.size === 0) throw new WireError("numbers and sizes start at 1");
  return header;
}

/** H(batch header). */
export function batchCommitment(header: Uint8Array): Uint8Array {
  return sha256(header);
}
