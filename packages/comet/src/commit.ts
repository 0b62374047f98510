/** Protobuf form of commits and the hash over their signatures. */
import { decodeBlockId, encodeBlockId } from "./block-id.ts";
import { concat } from "./bytes.ts";
import { CometError } from "./error.ts";
import { merkleRoot } from "./merkle.ts";
import { readMessage, readSmall } from "./proto-read.ts";
import { bytesField, intField, messageField } from "./proto-write.ts";
import { type Sha256, sha256 } from "./sha256.ts";
import { decodeTimestamp, encodeTimestamp } from "./timestamp.ts";
import type { BlockIdFlag, Commit, CommitSig } from "./types.ts";

const MAX_INT32 = 0x7fffffff;

/** tendermint.types.CommitSig. */
export function encodeCommitSig(signature: CommitSig): Uint8Array {
  return concat([
    intField(1, signature.blockIdFlag),
    bytesField(2, signature.validatorAddress),
    messageField(3, encodeTimestamp(signature.timestamp)),
    bytesField(4, signature.signature),
  ]);
}

/** tendermint.types.Commit. */
export function encodeCommit(commit: Commit): Uint8Array {
  return concat([
    intField(1, commit.height),
    intField(2, commit.round),
    messageField(3, encodeBlockId(commit.blockId)),
    ...commit.signatures.map((signature) => messageField(4, encodeCommitSig(signature))),
  ]);
}

/** The flag of a number. Throws CometError `invalid-encoding` outside 1 to 3. */
function flagOf(value: bigint): BlockIdFlag {
  if (value === 1n) return 1;
  if (value === 2n) return 2;
  if (value === 3n) return 3;
  throw new CometError("invalid-encoding", "unknown block id flag");
}

function decodeCommitSig(bytes: Uint8Array): CommitSig {
  const message = readMessage(bytes, { 1: "int", 2: "bytes", 3: "message", 4: "bytes" });
  return {
    blockIdFlag: flagOf(message.int(1)),
    validatorAddress: message.bytes(2),
    timestamp: decodeTimestamp(message.bytes(3)),
    signature: message.bytes(4),
  };
}

/** Strict inverse of {@link encodeCommit}. Throws CometError `invalid-encoding`. */
export function decodeCommit(bytes: Uint8Array): Commit {
  const message = readMessage(bytes, { 1: "int", 2: "int", 3: "message", 4: "many" });
  return {
    height: message.int(1),
    round: readSmall(message.int(2), MAX_INT32),
    blockId: decodeBlockId(message.bytes(3)),
    signatures: message.many(4).map(decodeCommitSig),
  };
}

/** `last_commit_hash` of the next header: Merkle root over the signatures. */
export function commitHash(commit: Commit, hash: Sha256 = sha256): Uint8Array {
  return merkleRoot(commit.signatures.map(encodeCommitSig), hash);
}
