/** Owns the forms of results: JSON Schemas of the objects of the specification, by the names reference pages use. */
import type { JsonSchema } from "./codec.ts";
import { address, boolean, data, hash, quantity } from "./codecs.ts";
import type { ResultShape } from "./method.ts";

const shape = (title: string, schema: JsonSchema): ResultShape => ({ title, schema });
const nullable = (inner: ResultShape): ResultShape =>
  shape(`${inner.title} or null`, { anyOf: [inner.schema, { type: "null" }] });
const listOf = (inner: ResultShape): ResultShape =>
  shape(`array of ${inner.title}`, { type: "array", items: inner.schema });

function objectOf(title: string, properties: Readonly<Record<string, JsonSchema>>): ResultShape {
  return shape(title, { type: "object", properties, required: Object.keys(properties) });
}

const q = quantity.schema;
const h = hash.schema;
const a = address.schema;
const d = data.schema;
const orNull = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, { type: "null" }] });

const log = objectOf("log", {
  ...{ address: a, topics: { type: "array", items: h }, data: d, blockNumber: q, blockHash: h },
  ...{ transactionHash: h, transactionIndex: q, logIndex: q, removed: boolean.schema },
});

const transaction = objectOf("transaction", {
  ...{ hash: h, type: q, from: a, to: orNull(a), nonce: q, gas: q, gasPrice: q, value: q, input: d, v: q, r: q, s: q },
  ...{ blockHash: orNull(h), blockNumber: orNull(q), transactionIndex: orNull(q) },
});

const headerProperties = {
  ...{ number: q, hash: h, parentHash: h, nonce: d, sha3Uncles: h, logsBloom: d, transactionsRoot: h, stateRoot: h },
  ...{ receiptsRoot: h, miner: a, difficulty: q, extraData: d, gasLimit: q, gasUsed: q, timestamp: q, mixHash: h },
  ...{ baseFeePerGas: q, withdrawalsRoot: h, blobGasUsed: q, excessBlobGas: q, parentBeaconBlockRoot: h },
  requestsHash: h,
};

const receipt = objectOf("receipt", {
  ...{ transactionHash: h, transactionIndex: q, blockHash: h, blockNumber: q, from: a, to: orNull(a), type: q },
  ...{ cumulativeGasUsed: q, gasUsed: q, effectiveGasPrice: q, contractAddress: orNull(a), logsBloom: d, status: q },
  logs: { type: "array", items: log.schema },
});

const block = objectOf("block", {
  ...headerProperties,
  ...{ size: q, totalDifficulty: q, uncles: { type: "array", items: h } },
  transactions: { type: "array", items: { anyOf: [h, transaction.schema] } },
});

const storageProof = objectOf("storage proof", {
  // As the caller spelled it: in full, or as a quantity.
  key: { type: "string", pattern: "^0x[0-9a-f]+$" },
  value: q,
  proof: { type: "array", items: d },
});

const pool = { type: "object", additionalProperties: { type: "object" } };

/** Result forms by name. */
export const results = {
  quantity: shape("quantity", q),
  quantityOrNull: nullable(shape("quantity", q)),
  data: shape("data", d),
  dataOrNull: nullable(shape("data", d)),
  dataList: listOf(shape("data", d)),
  hash: shape("hash", h),
  address: shape("address", a),
  addresses: listOf(shape("address", a)),
  boolean: shape("boolean", boolean.schema),
  integer: shape("integer", { type: "integer" }),
  string: shape("string", { type: "string" }),
  strings: listOf(shape("string", { type: "string" })),
  record: shape("object", { type: "object" }),
  id: shape("id", { type: "string", pattern: "^0x[0-9a-f]{32}$" }),
  syncing: shape("false or sync status", {
    anyOf: [{ const: false }, objectOf("", { startingBlock: q, currentBlock: q, highestBlock: q }).schema],
  }),
  logs: listOf(log),
  changes: shape("array of logs or hashes", { type: "array", items: { anyOf: [log.schema, h] } }),
  block: nullable(block),
  header: nullable(objectOf("header", headerProperties)),
  transaction: nullable(transaction),
  receipt: nullable(receipt),
  receipts: nullable(listOf(receipt)),
  proof: objectOf("proof", {
    ...{ address: a, accountProof: { type: "array", items: d }, balance: q, codeHash: h, nonce: q, storageHash: h },
    storageProof: { type: "array", items: storageProof.schema },
  }),
  feeHistory: objectOf("fee history", {
    oldestBlock: q,
    baseFeePerGas: { type: "array", items: q },
    gasUsedRatio: { type: "array", items: { type: "number" } },
  }),
  poolStatus: objectOf("pool status", { pending: q, queued: q }),
  poolContent: objectOf("pool content", { pending: pool, queued: pool }),
  null: shape("null", { type: "null" }),
  signedTransaction: objectOf("signed transaction", { raw: d, tx: { type: "object" } }),
  wallets: listOf(
    objectOf("wallet", { url: { type: "string" }, status: { type: "string" }, accounts: { type: "array" } }),
  ),
  dump: objectOf("dump", { root: { type: "string" }, accounts: { type: "object" } }),
  storageRange: objectOf("storage range", { storage: orNull({ type: "object" }), nextKey: orNull(h) }),
  searchPage: objectOf("page of transactions", {
    ...{ txs: { type: "array", items: transaction.schema }, receipts: { type: "array" } },
    ...{ firstPage: boolean.schema, lastPage: boolean.schema },
  }),
  openRpc: shape("OpenRPC document", { type: "object", required: ["openrpc", "info", "methods"] }),
  accessList: objectOf("access list", { accessList: { type: "array" }, gasUsed: q }),
  simulatedBlocks: listOf(objectOf("simulated block", { ...headerProperties, calls: { type: "array" } })),
  bundles: shape("results of each bundle", {
    type: "array",
    items: {
      type: "array",
      items: {
        type: "object",
        properties: { value: { type: "string" }, error: { type: "string" }, data: { type: "string" } },
      },
    },
  }),
  transactions: listOf(transaction),
  words: shape("words by account", { type: "object", additionalProperties: { type: "array", items: h } }),
  forkConfig: objectOf("fork configuration", { current: { type: "object" } }),
  trace: shape("trace", {}),
  parityTraces: listOf(shape("trace", { type: "object" })),
  parityTracesOrNull: nullable(listOf(shape("trace", { type: "object" }))),
  blockTraces: listOf(
    shape("block trace", { type: "object", properties: { txHash: h, result: {}, error: { type: "string" } } }),
  ),
  modules: shape("modules", { type: "object", additionalProperties: { type: "string" } }),
} as const satisfies Readonly<Record<string, ResultShape>>;
