/** Owns the table rows of `debug` that list states: dumps, ranges of storage, what changed, what keys stand for. */
import { blockNumber, blockSelector } from "../block-selector.ts";
import { address, boolean, count, hash } from "../codecs.ts";
import { accountCount, keyStart, position, slotCount } from "../debug-params.ts";
import { method, optional, required } from "../method.ts";
import { results } from "../shapes.ts";

const SPEC = "go-ethereum: debug";
const MOST = 256;
const FIRST = `0x${"0".repeat(64)}` as const;

/** Listings of states. */
export const debugState = {
  debug_dumpBlock: method({
    params: [required("block", blockNumber)],
    result: results.dump,
    errors: ["block-number-not-found", "listing-too-large", "busy"],
    summary: "The first 256 accounts of a block's state, in the order of their keys, with code and storage.",
    spec: "chain-node: Other catalogued method names",
  }),
  debug_accountRange: method({
    params: [
      required("block", blockSelector),
      optional("start", keyStart, FIRST),
      optional("most", accountCount, MOST),
      optional("withoutCode", boolean, false),
      optional("withoutStorage", boolean, false),
      optional("incompletes", boolean, false),
    ],
    result: results.dump,
    errors: ["header-not-found", "listing-too-large", "busy"],
    summary: "Accounts of a block's state from a key on; `next`, where there is one, is the start of the next page.",
    spec: SPEC,
  }),
  debug_storageRangeAt: method({
    params: [
      required("block", blockSelector),
      required("transaction", position),
      required("address", address),
      required("start", keyStart),
      required("most", slotCount),
    ],
    result: results.storageRange,
    errors: ["header-not-found", "transaction-index-out-of-range", "no-genesis-transaction", "busy"],
    summary: "An account's storage as a transaction of a block met it, in the order of the keys, from a key on.",
    spec: SPEC,
  }),
  debug_getModifiedAccountsByNumber: method({
    params: [required("start", count), optional("end", count, undefined)],
    result: results.addresses,
    errors: ["range-block-not-found", "start-not-before-end", "no-parent", "listing-too-large", "busy"],
    summary: "Accounts that differ between two blocks, or that one block changed; those that are gone are left out.",
    spec: SPEC,
  }),
  debug_getModifiedAccountsByHash: method({
    params: [required("start", hash), optional("end", hash, undefined)],
    result: results.addresses,
    errors: ["block-hash-not-found", "start-not-before-end", "no-parent", "listing-too-large", "busy"],
    summary: "As `debug_getModifiedAccountsByNumber`, by hashes.",
    spec: SPEC,
  }),
  debug_preimage: method({
    params: [required("hash", hash)],
    result: results.data,
    errors: ["unknown-preimage", "busy"],
    summary: "The address or storage slot whose hash is a key of the state.",
    spec: SPEC,
  }),
};
