/** Protobuf form of whole blocks: the bytes that are cut into parts, stored and sent to peers. */
import { decodeCommit, encodeCommit } from "./commit.ts";
import { decodeEvidence, encodeEvidence } from "./evidence.ts";
import { decodeHeader, encodeHeader } from "./header.ts";
import { merkleRoot } from "./merkle.ts";
import { readMessage } from "./proto-read.ts";
import { repeatedBytesLength, varintLength, writeRepeatedBytes, writeVarint } from "./proto-write.ts";
import { type Sha256, sha256 } from "./sha256.ts";
import type { Block } from "./types.ts";

const TAG = { header: 0x0a, data: 0x12, evidence: 0x1a, lastCommit: 0x22 } as const;

/** Bytes transactions take up in a block's data (each with its tag and length): what `max_tx_bytes` bounds. */
export function dataSize(txs: readonly Uint8Array[]): number {
  return repeatedBytesLength(txs);
}

/** tendermint.types.Block, in one pass over the transactions. */
export function encodeBlock(block: Block): Uint8Array {
  const header = encodeHeader(block.header);
  const evidence = block.evidence.map(encodeEvidence);
  const commit = encodeCommit(block.lastCommit);
  const sizes = [header.length, dataSize(block.txs), repeatedBytesLength(evidence), commit.length] as const;
  let total = 0;
  for (const size of sizes) total += 1 + varintLength(size) + size;
  const out = new Uint8Array(total);
  const open = (at: number, tag: number, size: number): number => {
    out[at] = tag;
    return writeVarint(out, at + 1, size);
  };
  let at = open(0, TAG.header, sizes[0]);
  out.set(header, at);
  at = writeRepeatedBytes(out, open(at + header.length, TAG.data, sizes[1]), 1, block.txs);
  at = writeRepeatedBytes(out, open(at, TAG.evidence, sizes[2]), 1, evidence);
  out.set(commit, open(at, TAG.lastCommit, sizes[3]));
  return out;
}

/**
 * Strict inverse of {@link encodeBlock}: encoding the result gives the same bytes. Transactions are views of `bytes`.
 * Throws CometError `invalid-encoding`.
 */
export function decodeBlock(bytes: Uint8Array): Block {
  const message = readMessage(bytes, { 1: "message", 2: "message", 3: "message", 4: "message" });
  return {
    header: decodeHeader(message.bytes(1)),
    txs: readMessage(message.bytes(2), { 1: "many" }).many(1),
    evidence: readMessage(message.bytes(3), { 1: "many" }).many(1).map(decodeEvidence),
    lastCommit: decodeCommit(message.bytes(4)),
  };
}

/** SHA-256 of a transaction's bytes: its hash in the consensus RPC. */
export function txHash(tx: Uint8Array, hash: Sha256 = sha256): Uint8Array {
  return hash(tx);
}

/** `data_hash` of a header; the leaves are the transactions' hashes. */
export function dataHash(txs: readonly Uint8Array[], hash: Sha256 = sha256): Uint8Array {
  return dataHashOf(txs.map(hash), hash);
}

/** {@link dataHash} from the transactions' hashes. */
export function dataHashOf(txHashes: readonly Uint8Array[], hash: Sha256 = sha256): Uint8Array {
  return merkleRoot(txHashes, hash);
}
