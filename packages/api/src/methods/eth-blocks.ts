/** Owns the table rows of `eth`: blocks, transactions, receipts, sending. */
import { blockNumber, blockSelector } from "../block-selector.ts";
import { boolean, data, hash, index } from "../codecs.ts";
import { method, required } from "../method.ts";
import { results } from "../shapes.ts";

const BLOCKS = "chain-node: Eth, blocks, transactions, receipts";
const STATE = "chain-node: Eth, chain and account state";
const BEYOND = "execution-apis";
const byNumber = required("block", blockNumber);
const byHash = required("blockHash", hash);
const full = required("fullTransactions", boolean);
const position = required("index", index);

const transactionByNumberAndIndex = method({
  params: [byNumber, position],
  result: results.transaction,
  summary: "The transaction at a position of a block by number.",
  spec: "chain-node: other catalogued method names",
});

/** Blocks, transactions, receipts, sending. */
export const ethBlocks = {
  eth_getBlockByNumber: method({
    params: [byNumber, full],
    result: results.block,
    summary: "A block by number or tag, with transaction hashes or full transactions.",
    spec: BLOCKS,
  }),
  eth_getBlockByHash: method({
    params: [byHash, full],
    result: results.block,
    summary: "A block by hash, with transaction hashes or full transactions.",
    spec: BLOCKS,
  }),
  eth_getHeaderByNumber: method({
    params: [byNumber],
    result: results.header,
    summary: "A header by number or tag.",
    spec: BEYOND,
  }),
  eth_getHeaderByHash: method({ params: [byHash], result: results.header, summary: "A header by hash.", spec: BEYOND }),
  eth_getBlockTransactionCountByNumber: method({
    params: [byNumber],
    result: results.quantityOrNull,
    summary: "How many transactions a block by number has.",
    spec: STATE,
  }),
  eth_getBlockTransactionCountByHash: method({
    params: [byHash],
    result: results.quantityOrNull,
    summary: "How many transactions a block by hash has.",
    spec: STATE,
  }),
  eth_getTransactionByHash: method({
    params: [required("hash", hash)],
    result: results.transaction,
    summary: "A transaction, also from the pool (then without block fields).",
    spec: BLOCKS,
  }),
  eth_getTransactionByBlockHashAndIndex: method({
    params: [byHash, position],
    result: results.transaction,
    summary: "The transaction at a position of a block by hash.",
    spec: BLOCKS,
  }),
  eth_getTransactionByBlockNumberAndIndex: transactionByNumberAndIndex,
  eth_getTransactionbyBlockNumberAndIndex: transactionByNumberAndIndex,
  eth_getTransactionReceipt: method({
    params: [required("hash", hash)],
    result: results.receipt,
    summary: "The receipt of a committed transaction; null until then.",
    spec: BLOCKS,
  }),
  eth_getBlockReceipts: method({
    params: [required("block", blockSelector)],
    result: results.receipts,
    summary: "All receipts of a block.",
    spec: BEYOND,
  }),
  eth_getRawTransactionByHash: method({
    params: [required("hash", hash)],
    result: results.dataOrNull,
    summary: "The EIP-2718 bytes of a transaction, also from the pool.",
    spec: BEYOND,
  }),
  eth_getRawTransactionByBlockHashAndIndex: method({
    params: [byHash, position],
    result: results.dataOrNull,
    summary: "The EIP-2718 bytes of the transaction at a position of a block by hash.",
    spec: BEYOND,
  }),
  eth_getRawTransactionByBlockNumberAndIndex: method({
    params: [byNumber, position],
    result: results.dataOrNull,
    summary: "The EIP-2718 bytes of the transaction at a position of a block by number.",
    spec: BEYOND,
  }),
  eth_sendRawTransaction: method({
    params: [required("transaction", data)],
    result: results.hash,
    errors: [
      ...(["undecodable-transaction", "unsupported-transaction-type", "wrong-chain-id", "unprotected"] as const),
      ...(["invalid-sender", "intrinsic-gas", "block-gas-limit", "initcode-too-large", "oversized"] as const),
      ...(["tip-above-cap-transaction", "empty-authorization-list", "fee-cap", "closing"] as const),
      ...(["already-known", "nonce-too-low", "insufficient-funds", "insufficient-funds-queued"] as const),
      ...(["below-minimum", "replacement-underpriced", "underpriced", "pool-full"] as const),
      ...(["future-replaces-pending", "in-flight-limit", "delegated-gap", "authority-reserved"] as const),
    ],
    summary: "Hands a signed transaction (types 0, 1, 2, 4) to the pool and answers its hash.",
    spec: "chain-node: Eth, signing, sending, calling",
  }),
};
