/** Protobuf form of block headers, and the header hash that is the block's hash. */
import { decodeBlockId, encodeBlockId, hashOrEmpty } from "./block-id.ts";
import { concat, EMPTY } from "./bytes.ts";
import { CometError } from "./error.ts";
import { merkleRoot } from "./merkle.ts";
import { readMessage, readText } from "./proto-read.ts";
import { bytesField, intField, messageField, stringField } from "./proto-write.ts";
import { type Sha256, sha256 } from "./sha256.ts";
import { decodeTimestamp, encodeTimestamp } from "./timestamp.ts";
import type { Header } from "./types.ts";

const MAX_CHAIN_ID_LENGTH = 50;

function encodeVersion(version: Header["version"]): Uint8Array {
  return concat([intField(1, version.block), intField(2, version.app)]);
}

/** tendermint.types.Header. */
export function encodeHeader(header: Header): Uint8Array {
  return concat([
    messageField(1, encodeVersion(header.version)),
    stringField(2, header.chainId),
    intField(3, header.height),
    messageField(4, encodeTimestamp(header.time)),
    messageField(5, encodeBlockId(header.lastBlockId)),
    bytesField(6, header.lastCommitHash),
    bytesField(7, header.dataHash),
    bytesField(8, header.validatorsHash),
    bytesField(9, header.nextValidatorsHash),
    bytesField(10, header.consensusHash),
    bytesField(11, header.appHash),
    bytesField(12, header.lastResultsHash),
    bytesField(13, header.evidenceHash),
    bytesField(14, header.proposerAddress),
  ]);
}

const HEADER_SHAPE = {
  1: "message",
  2: "bytes",
  3: "int",
  4: "message",
  5: "message",
  6: "bytes",
  7: "bytes",
  8: "bytes",
  9: "bytes",
  10: "bytes",
  11: "bytes",
  12: "bytes",
  13: "bytes",
  14: "bytes",
} as const;

/** Strict inverse of {@link encodeHeader}. Throws CometError `invalid-encoding`. */
export function decodeHeader(bytes: Uint8Array): Header {
  const message = readMessage(bytes, HEADER_SHAPE);
  const version = readMessage(message.bytes(1), { 1: "int", 2: "int" });
  const chainId = readText(message.bytes(2));
  if (chainId.length > MAX_CHAIN_ID_LENGTH) throw new CometError("invalid-encoding", "chain id too long");
  return {
    version: { block: BigInt.asUintN(64, version.int(1)), app: BigInt.asUintN(64, version.int(2)) },
    chainId,
    height: message.int(3),
    time: decodeTimestamp(message.bytes(4)),
    lastBlockId: decodeBlockId(message.bytes(5)),
    lastCommitHash: hashOrEmpty(message.bytes(6)),
    dataHash: hashOrEmpty(message.bytes(7)),
    validatorsHash: hashOrEmpty(message.bytes(8)),
    nextValidatorsHash: hashOrEmpty(message.bytes(9)),
    consensusHash: hashOrEmpty(message.bytes(10)),
    appHash: message.bytes(11),
    lastResultsHash: hashOrEmpty(message.bytes(12)),
    evidenceHash: hashOrEmpty(message.bytes(13)),
    proposerAddress: message.bytes(14),
  };
}

/** A value in its google.protobuf wrapper: field 1, nothing when empty. */
function wrapped(bytes: Uint8Array): Uint8Array {
  return bytesField(1, bytes);
}

/**
 * Hash of a header: the Merkle root of its fourteen fields. The empty byte string when `validatorsHash` is empty
 * (CometBFT's rule for an incomplete header).
 */
export function headerHash(header: Header, hash: Sha256 = sha256): Uint8Array {
  if (header.validatorsHash.length === 0) return EMPTY;
  const leaves = [
    encodeVersion(header.version),
    stringField(1, header.chainId),
    intField(1, header.height),
    encodeTimestamp(header.time),
    encodeBlockId(header.lastBlockId),
    wrapped(header.lastCommitHash),
    wrapped(header.dataHash),
    wrapped(header.validatorsHash),
    wrapped(header.nextValidatorsHash),
    wrapped(header.consensusHash),
    wrapped(header.appHash),
    wrapped(header.lastResultsHash),
    wrapped(header.evidenceHash),
    wrapped(header.proposerAddress),
  ];
  return merkleRoot(leaves, hash);
}
