/**
 * The path of a receipt as OpenTimestamps operations: from the canonical proof bytes to the Bitcoin block, and the
 * calendar's answers for the commitments on the way.
 */
import {
  attested,
  buildPath,
  decodeHex,
  type Op,
  parseDisplayHash,
  serializeDetached,
  serializeTimestamp,
  type Timestamp,
} from "@cairn/bitcoin";
import { concatBytes, equalBytes, hexToBytes, sha256 } from "@cairn/primitives";
import { anchorCommitment, anchorHeader, anchorHeaderPrefix } from "./anchor-header.ts";
import { BATCH_HEADER_BYTES } from "./batch-header.ts";
import { type PathStep, pathSteps } from "./merkle-tree.ts";
import { opReturnData } from "./op-return.ts";
import type { Receipt, ReceiptAnchor } from "./types.ts";

const SHA256: Op = { kind: "sha256" };
const ROOT_AND_PREVIOUS = 64;

const append = (arg: Uint8Array): Op => ({ kind: "append", arg });
const prepend = (arg: Uint8Array): Op => ({ kind: "prepend", arg });

/**
 * A `.ots` file that starts at SHA-256 of the canonical proof bytes. Before the anchor it needs `pendingUrl`, the
 * calendar's URL. Throws RangeError when the proof bytes are not the receipt's, or neither anchor nor URL is there.
 */
export function buildOts(o: { receipt: Receipt; canonicalProof?: Uint8Array; pendingUrl?: string }): Uint8Array {
  const { leaf, anchor } = o.receipt;
  const digest = hexToBytes(leaf.proof_hash);
  if (o.canonicalProof !== undefined && !equalBytes(sha256(o.canonicalProof), digest)) {
    throw new RangeError("these are not the proof bytes of the receipt");
  }
  return serializeDetached(digest, buildPath(commitmentOps(o.receipt), endOf(anchor, o.pendingUrl)));
}

/**
 * What a calendar answers for a commitment (`GET /timestamp/{hex}`): the serialized tree that continues from a batch
 * commitment or from an anchor commitment to the Bitcoin block.
 */
export function calendarAnswer(o: { from: "batch" | "anchor"; anchor: ReceiptAnchor }): Uint8Array {
  const ops = o.from === "batch" ? [...anchorOps(o.anchor), ...bitcoinOps(o.anchor)] : bitcoinOps(o.anchor);
  return serializeTimestamp(buildPath(ops, attested({ kind: "bitcoin", height: o.anchor.height })));
}

function endOf(anchor: ReceiptAnchor | null, pendingUrl: string | undefined): Timestamp {
  if (anchor !== null) {
    const end = attested({ kind: "bitcoin", height: anchor.height });
    return buildPath([...anchorOps(anchor), ...bitcoinOps(anchor)], end);
  }
  if (pendingUrl === undefined) throw new RangeError("neither an anchor nor a calendar URL");
  return attested({ kind: "pending", uri: pendingUrl });
}

// Proof hash to batch commitment.
function commitmentOps({ leaf, batch }: Receipt): Op[] {
  const header = hexToBytes(batch.header);
  return [
    append(sha256(hexToBytes(leaf.record))),
    prepend(Uint8Array.of(0)),
    SHA256,
    ...treeOps(batch),
    prepend(header.slice(0, BATCH_HEADER_BYTES - ROOT_AND_PREVIOUS)),
    append(header.slice(BATCH_HEADER_BYTES - ROOT_AND_PREVIOUS / 2)),
    SHA256,
  ];
}

// Batch commitment to anchor commitment.
function anchorOps(anchor: ReceiptAnchor): Op[] {
  const header = { sequence: BigInt(anchor.sequence), size: anchor.size, root: hexToBytes(anchor.root) };
  return [prepend(Uint8Array.of(0)), SHA256, ...treeOps(anchor), prepend(anchorHeaderPrefix(header)), SHA256];
}

// Anchor commitment to the block's Merkle root.
function bitcoinOps(anchor: ReceiptAnchor): Op[] {
  const root = hexToBytes(anchor.root);
  const sequence = BigInt(anchor.sequence);
  const commitment = anchorCommitment(anchorHeader({ sequence, size: anchor.size, root }));
  const raw = decodeHex(anchor.raw_tx);
  const at = indexOf(raw, opReturnData({ sequence, commitment })) + 8;
  const branch = anchor.branch.flatMap((hash, level) => {
    const sibling = parseDisplayHash(hash);
    const isRight = Math.floor(anchor.tx_index / 2 ** level) % 2 === 1;
    return [isRight ? prepend(sibling) : append(sibling), SHA256, SHA256];
  });
  return [prepend(raw.slice(0, at)), append(raw.slice(at + commitment.length)), SHA256, SHA256, ...branch];
}

function treeOps(o: { index: number; size: number; path: readonly string[] }): Op[] {
  const steps = pathSteps({ index: o.index, size: o.size, path: o.path.map(hexToBytes) });
  if (steps === undefined) throw new RangeError("the path does not fit index and size");
  return steps.flatMap(stepOps);
}

function stepOps({ sibling, side }: PathStep): Op[] {
  const node = Uint8Array.of(1);
  return side === "left" ? [prepend(concatBytes(node, sibling)), SHA256] : [prepend(node), append(sibling), SHA256];
}

function indexOf(haystack: Uint8Array, needle: Uint8Array): number {
  for (let at = 0; at + needle.length <= haystack.length; at += 1) {
    if (equalBytes(haystack.subarray(at, at + needle.length), needle)) return at;
  }
  throw new RangeError("the transaction does not hold the anchor");
}
