/** Owns the table of `ots`: what the Otterscan explorer asks beside `eth`. */
import { blockNumber, blockSelector } from "../block-selector.ts";
import { address, count, hash } from "../codecs.ts";
import { method, optional, required } from "../method.ts";
import { results } from "../shapes.ts";

const SPEC = "Otterscan: custom JSON-RPC";
const byHash = required("hash", hash);
const FAULTS = ["transaction-not-found", "trace-failed", "busy"] as const;

/** Otterscan sends heights as JSON numbers, which the other methods refuse. */
const blockOfClient: typeof blockNumber = {
  title: "block number, also as a JSON number, or tag",
  schema: { anyOf: [count.schema, blockNumber.schema] },
  decode: (value) => (typeof value === "number" ? BigInt(count.decode(value)) : blockNumber.decode(value)),
};

/** The `ots` namespace (Otterscan). */
export const ots = {
  ots_getApiLevel: method({
    params: [],
    result: results.integer,
    summary: "The level of this interface.",
    spec: SPEC,
  }),
  ots_hasCode: method({
    params: [required("address", address), optional("block", blockSelector, "latest" as const)],
    result: results.boolean,
    errors: ["header-not-found"],
    summary: "Whether an account has code at a block.",
    spec: SPEC,
  }),
  ots_getHeaderByNumber: method({
    params: [required("block", blockOfClient)],
    result: results.header,
    summary: "A header by number or tag.",
    spec: SPEC,
  }),
  ots_getBlockDetails: method({
    params: [required("block", blockOfClient)],
    result: results.trace,
    summary: "A block by number without transactions, with their count and fees; null when it is unknown.",
    spec: SPEC,
  }),
  ots_getBlockDetailsByHash: method({
    params: [required("blockHash", hash)],
    result: results.trace,
    summary: "A block by hash without transactions, with their count and fees; null when it is unknown.",
    spec: SPEC,
  }),
  ots_getBlockTransactions: method({
    params: [required("block", blockOfClient), required("page", count), required("pageSize", count)],
    result: results.trace,
    summary: "One page of a block's transactions and their receipts without logs, the last ones first.",
    spec: SPEC,
  }),
  ots_getTransactionError: method({
    params: [byHash],
    result: results.data,
    errors: FAULTS,
    summary: "The revert payload of a transaction, 0x when there is none.",
    spec: SPEC,
  }),
  ots_traceTransaction: method({
    params: [byHash],
    result: results.parityTraces,
    errors: FAULTS,
    summary: "The calls of a transaction in order, each with its depth.",
    spec: SPEC,
  }),
  ots_getInternalOperations: method({
    params: [byHash],
    result: results.parityTraces,
    errors: FAULTS,
    summary: "Transfers, creations and self-destructions within a transaction.",
    spec: SPEC,
  }),
  ots_getTransactionBySenderAndNonce: method({
    params: [required("sender", address), required("nonce", count)],
    result: results.trace,
    summary: "The hash of a committed transaction by sender and nonce; null when there is none.",
    spec: SPEC,
  }),
  ots_getContractCreator: method({
    params: [required("address", address)],
    result: results.trace,
    errors: FAULTS,
    summary: "Who created a contract, in which transaction; null for what is none or was there in the genesis.",
    spec: SPEC,
  }),
  ots_searchTransactionsBefore: method({
    params: [required("address", address), required("block", count), required("pageSize", count)],
    result: results.searchPage,
    errors: ["busy"],
    summary: "Transactions that touched an account before a block (0: all), newest first, whole blocks at a time.",
    spec: SPEC,
  }),
  ots_searchTransactionsAfter: method({
    params: [required("address", address), required("block", count), required("pageSize", count)],
    result: results.searchPage,
    errors: ["busy"],
    summary:
      "The earliest transactions that touched an account after a block (0: all), newest first, whole blocks at a time.",
    spec: SPEC,
  }),
};
