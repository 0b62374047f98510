/** Owns the table rows of `eth` for simulations, and for what clients of today expect beyond the specification. */
import { bytesToHex, type Hash } from "@cairn/primitives";
import { blockSelector } from "../block-selector.ts";
import { type CallManyContext, callBundles, callManyContext } from "../call-many.ts";
import { callObject } from "../call-object.ts";
import { arrayOf, type Codec } from "../codec.ts";
import { address, count, data, quantity64, storageKey } from "../codecs.ts";
import { method, optional, required } from "../method.ts";
import { mapOf, stateOverrides } from "../overrides.ts";
import { results } from "../shapes.ts";
import { simulation } from "../simulation.ts";

const atBlock = optional("block", blockSelector, "latest" as const);
const LATEST: CallManyContext = { blockNumber: "latest" };
const BEYOND = "execution-apis";
const MAX_ACCOUNTS = 1024;
/** A storage position, padded. */
const position: Codec<Hash> = { ...storageKey, decode: (value) => bytesToHex(storageKey.decode(value).bytes) };

/** Simulations, access lists, and reads of many things at once. */
export const ethSimulation = {
  eth_createAccessList: method({
    params: [required("call", callObject), atBlock, optional("stateOverrides", stateOverrides, {})],
    result: results.accessList,
    errors: ["access-list-refused", "both-fee-styles", "header-not-found"],
    summary: "The access list a call needs, and its gas with that list.",
    spec: BEYOND,
  }),
  eth_simulateV1: method({
    params: [required("simulation", simulation), atBlock],
    result: results.simulatedBlocks,
    errors: ["simulation-failed", "empty-simulation", "simulation-too-large", "header-not-found"],
    summary: "Executes calls in up to 256 simulated blocks, with overrides, and answers the blocks with the results.",
    spec: BEYOND,
  }),
  eth_callMany: method({
    params: [
      required("bundles", callBundles),
      optional("context", callManyContext, LATEST),
      optional("stateOverrides", stateOverrides, {}),
      optional("timeoutMs", count, undefined),
    ],
    result: results.bundles,
    errors: ["empty-bundles", "too-many-calls", "call-refused", "both-fee-styles", "header-not-found"],
    summary:
      "Runs bundles of calls, up to 1000 in all, each on the state the ones before left, after a block or inside it.",
    spec: "Erigon, reth",
  }),
  eth_getStorageValues: method({
    params: [required("requests", mapOf(address, arrayOf(position, MAX_ACCOUNTS), MAX_ACCOUNTS)), atBlock],
    result: results.words,
    errors: ["too-many-slots", "no-slots", "header-not-found"],
    summary: "Storage words of several accounts at a block, at most 1024.",
    spec: BEYOND,
  }),
  eth_sendRawTransactionSync: method({
    params: [required("transaction", data), optional("timeoutMs", count, undefined)],
    result: results.receipt,
    errors: ["not-in-time", "already-known", "nonce-too-low", "insufficient-funds"],
    summary: "Hands a signed transaction to the pool and answers its receipt; waits 20 s, or as asked up to 60 s.",
    spec: BEYOND,
  }),
  eth_pendingTransactions: method({
    params: [],
    result: results.transactions,
    summary: "Executable pooled transactions of the node's own accounts.",
    spec: BEYOND,
  }),
  eth_getTransactionBySenderAndNonce: method({
    params: [required("sender", address), required("nonce", quantity64)],
    result: results.transaction,
    summary: "The transaction of a sender with a nonce, committed or pooled.",
    spec: BEYOND,
  }),
  eth_config: method({
    params: [],
    result: results.forkConfig,
    summary: "The fork in force, its precompiles and system contracts (EIP-7910).",
    spec: BEYOND,
  }),
};
