/** Protobuf form of block ids. */
import { bytesEqual, concat, EMPTY } from "./bytes.ts";
import { CometError } from "./error.ts";
import { readMessage, readSmall } from "./proto-read.ts";
import { bytesField, intField, messageField } from "./proto-write.ts";
import type { BlockId, PartSetHeader } from "./types.ts";

const MAX_UINT32 = 0xffffffff;

/** The id of no block: last block id of the first block. */
export const NO_BLOCK_ID: BlockId = { hash: EMPTY, parts: { total: 0, hash: EMPTY } };

/** tendermint.types.PartSetHeader. */
export function encodePartSetHeader(parts: PartSetHeader): Uint8Array {
  return concat([intField(1, parts.total), bytesField(2, parts.hash)]);
}

/** tendermint.types.BlockID. */
export function encodeBlockId(blockId: BlockId): Uint8Array {
  return concat([bytesField(1, blockId.hash), messageField(2, encodePartSetHeader(blockId.parts))]);
}

/** Strict inverse of {@link encodeBlockId}. Throws CometError `invalid-encoding`. */
export function decodeBlockId(bytes: Uint8Array): BlockId {
  const message = readMessage(bytes, { 1: "bytes", 2: "message" });
  const parts = readMessage(message.bytes(2), { 1: "int", 2: "bytes" });
  return {
    hash: hashOrEmpty(message.bytes(1)),
    parts: { total: readSmall(parts.int(1), MAX_UINT32), hash: hashOrEmpty(parts.bytes(2)) },
  };
}

/** Passes a 32-byte hash or the empty byte string. Throws CometError `invalid-encoding`. */
export function hashOrEmpty(bytes: Uint8Array): Uint8Array {
  if (bytes.length !== 0 && bytes.length !== 32) throw new CometError("invalid-encoding", "expected a 32-byte hash");
  return bytes;
}

/** Whether two ids name the same block in the same parts. */
export function blockIdEqual(a: BlockId, b: BlockId): boolean {
  return bytesEqual(a.hash, b.hash) && a.parts.total === b.parts.total && bytesEqual(a.parts.hash, b.parts.hash);
}
