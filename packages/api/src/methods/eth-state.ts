/** Owns the table rows of `eth`: chain, account state, calls, fees. */
import { blockNumber, blockSelector } from "../block-selector.ts";
import { callObject } from "../call-object.ts";
import { arrayOf } from "../codec.ts";
import { address, blockCount, number, storageKey, storageKeys } from "../codecs.ts";
import { constant, method, optional, required } from "../method.ts";
import { blockOverrides, stateOverrides } from "../overrides.ts";
import { results } from "../shapes.ts";

const atBlock = optional("block", blockSelector, "latest" as const);
const STATE = "chain-node: Eth, chain and account state";
const CALLING = "chain-node: Eth, signing, sending, calling";
const BEYOND = "execution-apis";
const MAX_PERCENTILES = 101;

/** Chain, account state, calls and fees. */
export const ethState = {
  eth_chainId: method({ params: [], result: results.quantity, summary: "The EVM chain id (EIP-155).", spec: BEYOND }),
  eth_blockNumber: method({
    params: [],
    result: results.quantity,
    summary: "Number of the latest block.",
    spec: STATE,
  }),
  eth_syncing: method({
    params: [],
    result: results.syncing,
    summary: "false, or how far the node is while it catches up.",
    spec: STATE,
  }),
  eth_coinbase: method({
    params: [],
    result: results.address,
    summary: "The address that receives this validator's rewards.",
    spec: STATE,
  }),
  eth_protocolVersion: constant({ value: "0x41", summary: "The protocol version." }),
  eth_gasPrice: method({
    params: [],
    result: results.quantity,
    summary: "A gas price in wei that the next block accepts.",
    spec: STATE,
  }),
  eth_maxPriorityFeePerGas: method({
    params: [],
    result: results.quantity,
    summary: "A tip in wei per gas for prompt inclusion.",
    spec: BEYOND,
  }),
  eth_blobBaseFee: constant({ value: "0x1", summary: "Least blob base fee: there are no blobs on this chain." }),
  eth_feeHistory: method({
    params: [
      required("blockCount", blockCount),
      required("newestBlock", blockNumber),
      optional("rewardPercentiles", arrayOf(number, MAX_PERCENTILES), [] as readonly number[]),
    ],
    result: results.feeHistory,
    errors: ["request-beyond-head", "invalid-percentile"],
    summary: "Base fees, gas used and tips of a range of blocks, at most 1024.",
    spec: BEYOND,
  }),
  eth_accounts: method({
    params: [],
    result: results.addresses,
    summary: "Accounts the node holds keys of.",
    spec: STATE,
  }),
  eth_getBalance: method({
    params: [required("address", address), atBlock],
    result: results.quantity,
    errors: ["header-not-found", "header-for-hash-not-found"],
    summary: "Balance of an account in wei at a block.",
    spec: STATE,
  }),
  eth_getCode: method({
    params: [required("address", address), atBlock],
    result: results.data,
    errors: ["header-not-found", "header-for-hash-not-found"],
    summary: "Code of an account at a block, 0x when it has none.",
    spec: STATE,
  }),
  eth_getStorageAt: method({
    params: [required("address", address), required("position", storageKey), atBlock],
    result: results.hash,
    errors: ["header-not-found", "header-for-hash-not-found"],
    summary: "One 32-byte storage word of an account at a block.",
    spec: STATE,
  }),
  eth_getTransactionCount: method({
    params: [required("address", address), atBlock],
    result: results.quantity,
    errors: ["header-not-found", "header-for-hash-not-found"],
    summary: "Nonce of an account at a block; pending counts the pool.",
    spec: STATE,
  }),
  eth_getProof: method({
    params: [required("address", address), required("storageKeys", storageKeys), atBlock],
    result: results.proof,
    errors: ["header-not-found", "header-for-hash-not-found"],
    summary: "An account and storage words with Merkle-Patricia proofs under the block's state root (EIP-1186).",
    spec: STATE,
  }),
  eth_call: method({
    params: [
      required("call", callObject),
      atBlock,
      optional("stateOverrides", stateOverrides, {}),
      optional("blockOverrides", blockOverrides, {}),
    ],
    result: results.data,
    errors: ["reverted", "halted", "call-refused", "both-fee-styles", "tip-above-fee-cap", "header-not-found"],
    summary: "Executes a call on a block's state, with accounts and header fields replaced where asked.",
    spec: CALLING,
  }),
  eth_estimateGas: method({
    params: [
      required("call", callObject),
      atBlock,
      optional("stateOverrides", stateOverrides, {}),
      optional("blockOverrides", blockOverrides, {}),
    ],
    result: results.quantity,
    errors: ["reverted", "halted", "call-refused", "gas-allowance", "both-fee-styles", "header-not-found"],
    summary: "The least gas limit a transaction succeeds with.",
    spec: CALLING,
  }),
};
