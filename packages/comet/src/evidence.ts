/** Protobuf form of evidence and the header's hash over it. */
import { decodeBlockId, encodeBlockId } from "./block-id.ts";
import { concat } from "./bytes.ts";
import { CometError } from "./error.ts";
import { merkleRoot } from "./merkle.ts";
import { readMessage, readSmall } from "./proto-read.ts";
import { bytesField, intField, messageField } from "./proto-write.ts";
import { type Sha256, sha256 } from "./sha256.ts";
import { decodeTimestamp, encodeTimestamp } from "./timestamp.ts";
import type { Evidence, Vote } from "./types.ts";

const MAX_INT32 = 0x7fffffff;
const VOTE_SHAPE = {
  1: "int",
  2: "int",
  3: "int",
  4: "message",
  5: "message",
  6: "bytes",
  7: "int",
  8: "bytes",
  9: "bytes",
  10: "bytes",
} as const;

/** tendermint.types.Vote. */
export function encodeVote(vote: Vote): Uint8Array {
  return concat([
    intField(1, vote.type),
    intField(2, vote.height),
    intField(3, vote.round),
    messageField(4, encodeBlockId(vote.blockId)),
    messageField(5, encodeTimestamp(vote.timestamp)),
    bytesField(6, vote.validatorAddress),
    intField(7, vote.validatorIndex),
    bytesField(8, vote.signature),
    bytesField(9, vote.extension),
    bytesField(10, vote.extensionSignature),
  ]);
}

function decodeVote(bytes: Uint8Array): Vote {
  const message = readMessage(bytes, VOTE_SHAPE);
  const type = message.int(1);
  if (type !== 1n && type !== 2n) throw new CometError("invalid-encoding", "unknown vote type");
  return {
    type: type === 1n ? 1 : 2,
    height: message.int(2),
    round: readSmall(message.int(3), MAX_INT32),
    blockId: decodeBlockId(message.bytes(4)),
    timestamp: decodeTimestamp(message.bytes(5)),
    validatorAddress: message.bytes(6),
    validatorIndex: readSmall(message.int(7), MAX_INT32),
    signature: message.bytes(8),
    extension: message.bytes(9),
    extensionSignature: message.bytes(10),
  };
}

/** The concrete evidence message, which is also its leaf under `evidence_hash`. */
function encodeConcrete(evidence: Evidence): Uint8Array {
  if (evidence.kind === "light-client-attack") return evidence.bytes;
  return concat([
    messageField(1, encodeVote(evidence.voteA)),
    messageField(2, encodeVote(evidence.voteB)),
    intField(3, evidence.totalVotingPower),
    intField(4, evidence.validatorPower),
    messageField(5, encodeTimestamp(evidence.timestamp)),
  ]);
}

/** tendermint.types.Evidence (a oneof). */
export function encodeEvidence(evidence: Evidence): Uint8Array {
  return messageField(evidence.kind === "duplicate-vote" ? 1 : 2, encodeConcrete(evidence));
}

/** Strict inverse of {@link encodeEvidence}. Throws CometError `invalid-encoding`. */
export function decodeEvidence(bytes: Uint8Array): Evidence {
  const outer = readMessage(bytes, { 1: "optional-message", 2: "optional-message" });
  const duplicate = outer.optional(1);
  const attack = outer.optional(2);
  if ((duplicate === undefined) === (attack === undefined)) {
    throw new CometError("invalid-encoding", "expected one kind of evidence");
  }
  if (attack !== undefined) return { kind: "light-client-attack", bytes: attack };
  const message = readMessage(outer.bytes(1), { 1: "message", 2: "message", 3: "int", 4: "int", 5: "message" });
  return {
    kind: "duplicate-vote",
    voteA: decodeVote(message.bytes(1)),
    voteB: decodeVote(message.bytes(2)),
    totalVotingPower: message.int(3),
    validatorPower: message.int(4),
    timestamp: decodeTimestamp(message.bytes(5)),
  };
}

/** `evidence_hash` of a header. */
export function evidenceHash(evidence: readonly Evidence[], hash: Sha256 = sha256): Uint8Array {
  return merkleRoot(evidence.map(encodeConcrete), hash);
}
