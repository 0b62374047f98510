/** The bytes a validator signs. */
import { encodePartSetHeader } from "./block-id.ts";
import { concat, EMPTY } from "./bytes.ts";
import { bytesField, fixed64Field, intField, messageField, stringField, varint } from "./proto-write.ts";
import { encodeTimestamp } from "./timestamp.ts";
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
