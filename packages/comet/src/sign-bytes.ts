/** The bytes a validator signs. */
import { decodeBlockId, encodePartSetHeader, NO_BLOCK_ID } from "./block-id.ts";
import { concat, EMPTY } from "./bytes.ts";
import { CometError } from "./error.ts";
import { readMessage, readSmall, readText } from "./proto-read.ts";
import { bytesField, fixed64Field, intField, messageField, stringField, varint } from "./proto-write.ts";
import { decodeTimestamp, encodeTimestamp } from "./timestamp.ts";
import type { BlockId, Timestamp, VoteType } from "./types.ts";

/** What a vote's signature covers. `blockId` with an empty hash is a vote for nil. */
export interface VoteContent {
  readonly type: VoteType;
  readonly height: bigint;
  readonly round: number;
  readonly blockId: BlockId;
  readonly timestamp: Timestamp;
  readonly chainId: string;
}

/** Sign bytes of a vote: length-prefixed tendermint.types.CanonicalVote. */
export function voteSignBytes(vote: VoteContent): Uint8Array {
  const { hash, parts } = vote.blockId;
  const blockId = concat([bytesField(1, hash), messageField(2, encodePartSetHeader(parts))]);
  const message = concat([
    intField(1, vote.type),
    fixed64Field(2, vote.height),
    fixed64Field(3, BigInt(vote.round)),
    hash.length === 0 && parts.total === 0 ? EMPTY : messageField(4, blockId),
    messageField(5, encodeTimestamp(vote.timestamp)),
    stringField(6, vote.chainId),
  ]);
  return concat([varint(BigInt(message.length)), message]);
}

const VOTE_SHAPE = { 1: "int", 2: "fixed64", 3: "fixed64", 4: "optional-message", 5: "message", 6: "bytes" } as const;

/** Strict inverse of {@link voteSignBytes}. Throws CometError `invalid-encoding`. */
export function decodeVoteSignBytes(bytes: Uint8Array): VoteContent {
  const message = readMessage(withoutLength(bytes), VOTE_SHAPE);
  const type = message.int(1);
  if (type !== 1n && type !== 2n) throw new CometError("invalid-encoding", "unknown vote type");
  const blockId = message.optional(4);
  return {
    type: type === 1n ? 1 : 2,
    height: message.int(2),
    round: readSmall(message.int(3), 0x7fffffff),
    blockId: blockId === undefined ? NO_BLOCK_ID : decodeBlockId(blockId),
    timestamp: decodeTimestamp(message.bytes(5)),
    chainId: readText(message.bytes(6)),
  };
}

/** A length-prefixed message without its prefix. */
function withoutLength(bytes: Uint8Array): Uint8Array {
  const rest = [1, 2]
    .map((size) => bytes.subarray(size))
    .find((message) => {
      const prefix = varint(BigInt(message.length));
      return prefix.length + message.length === bytes.length && prefix.every((byte, i) => byte === bytes[i]);
    });
  if (rest === undefined) throw new CometError("invalid-encoding", "wrong length prefix");
  return rest;
}
