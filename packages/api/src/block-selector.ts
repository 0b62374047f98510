/** Owns how a parameter names a block: number, tag, hash, EIP-1898 object. Finding the block is the chain's. */
import type { Hash } from "@cairn/primitives";
import { asObject, type Codec, CodecError, member } from "./codec.ts";
import { boolean, hash, quantity, quantity64 } from "./codecs.ts";

const TAGS = ["latest", "earliest", "pending", "safe", "finalized"] as const;

/** A block tag. One-block finality: `safe` and `finalized` are the latest block. */
export type BlockTag = (typeof TAGS)[number];

/** A block by tag, number or hash. */
export type BlockSelector = BlockTag | bigint | Hash;

const MAX_NUMBER = (1n << 63n) - 1n;

function isTag(value: unknown): value is BlockTag {
  return TAGS.some((tag) => tag === value);
}

function decodeNumber(value: unknown, tooLarge = "block number larger than int64"): BlockTag | bigint {
  if (isTag(value)) return value;
  const number = quantity64.decode(typeof value === "number" ? String(value) : value);
  if (number > MAX_NUMBER) throw new CodecError(tooLarge);
  return number;
}

const numberSchema = { anyOf: [quantity.schema, { enum: TAGS }] };

/** A block by number or tag. */
export const blockNumber: Codec<BlockTag | bigint> = {
  title: "block number or tag",
  schema: numberSchema,
  decode: (value) => decodeNumber(value),
};

function decodeObject(value: unknown): BlockSelector {
  const object = asObject(value);
  const number = member(object, "blockNumber", blockNumber);
  const byHash = member(object, "blockHash", hash);
  // Every known block is canonical on a chain without forks.
  member(object, "requireCanonical", boolean);
  if (number !== undefined && byHash !== undefined) {
    throw new CodecError("cannot specify both BlockHash and BlockNumber, choose one or the other");
  }
  const selector = number ?? byHash;
  if (selector === undefined) throw new CodecError("must specify either BlockHash or BlockNumber");
  return selector;
}

/** A block by number, tag, 32-byte hash, or the object of EIP-1898. */
export const blockSelector: Codec<BlockSelector> = {
  title: "block",
  schema: {
    anyOf: [
      numberSchema,
      hash.schema,
      {
        type: "object",
        properties: { blockNumber: numberSchema, blockHash: hash.schema, requireCanonical: { type: "boolean" } },
      },
    ],
  },
  decode(value) {
    if (typeof value === "object") return decodeObject(value);
    if (typeof value === "string" && value.length === 66 && value.startsWith("0x")) return hash.decode(value);
    return decodeNumber(value, "blocknumber too high");
  },
};
