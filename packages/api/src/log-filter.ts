/** Owns the filter object of `eth_getLogs`, `eth_newFilter` and the `logs` subscription on the wire. */
import type { Address, Hash } from "@cairn/primitives";
import { type BlockTag, blockNumber } from "./block-selector.ts";
import { asObject, type Codec, CodecError, member } from "./codec.ts";
import { address, hash, json } from "./codecs.ts";

/** A decoded filter object. Empty `addresses`: any; per position of `topics` the alternatives, empty: any. */
export interface LogFilterParam {
  readonly blockHash?: Hash;
  readonly fromBlock?: BlockTag | bigint;
  readonly toBlock?: BlockTag | bigint;
  readonly addresses: readonly Address[];
  readonly topics: readonly (readonly Hash[])[];
}

const MAX_TOPICS = 4;
const MAX_ALTERNATIVES = 1000;

function alternatives<T>(value: unknown, codec: Codec<T>): T[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) return [codec.decode(value)];
  if (value.length > MAX_ALTERNATIVES) throw new CodecError("exceed max addresses or topics per search position");
  // A wildcard among the alternatives makes the position a wildcard.
  return value.includes(null) ? [] : value.map((item) => codec.decode(item));
}

function decodeTopics(value: unknown): Hash[][] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new CodecError("topics: expected an array");
  if (value.length > MAX_TOPICS) throw new CodecError("exceed max topics");
  return value.map((position) => alternatives(position, hash));
}

function decodeFilter(value: unknown): LogFilterParam {
  const object = asObject(value);
  const blockHash = member(object, "blockHash", hash) ?? member(object, "blockhash", hash);
  const fromBlock = member(object, "fromBlock", blockNumber);
  const toBlock = member(object, "toBlock", blockNumber);
  if (blockHash !== undefined && (fromBlock !== undefined || toBlock !== undefined)) {
    throw new CodecError("cannot specify both BlockHash and FromBlock/ToBlock, choose one or the other");
  }
  return {
    ...(blockHash === undefined ? {} : { blockHash }),
    ...(fromBlock === undefined ? {} : { fromBlock }),
    ...(toBlock === undefined ? {} : { toBlock }),
    addresses: alternatives(member(object, "address", json), address),
    topics: decodeTopics(member(object, "topics", json)),
  };
}

const topicSchema = { anyOf: [{ type: "null" }, hash.schema, { type: "array", items: hash.schema }] };

/** The filter object; `blockhash` is another spelling of `blockHash` (EIP-234). */
export const logFilter: Codec<LogFilterParam> = {
  title: "filter object",
  schema: {
    type: "object",
    properties: {
      fromBlock: blockNumber.schema,
      toBlock: blockNumber.schema,
      blockHash: hash.schema,
      address: { anyOf: [address.schema, { type: "array", items: address.schema, maxItems: MAX_ALTERNATIVES }] },
      topics: { type: "array", items: topicSchema, maxItems: MAX_TOPICS },
    },
  },
  decode: decodeFilter,
};
