/** Owns the whole `eth` table: the served parts and the names that are constant or refused. */
import { blockNumber } from "../block-selector.ts";
import { hash, index, json } from "../codecs.ts";
import { constant, optional, refused, refusedAll, required } from "../method.ts";
import { ethBlocks } from "./eth-blocks.ts";
import { ethFilters } from "./eth-filters.ts";
import { ethSign } from "./eth-sign.ts";
import { ethState } from "./eth-state.ts";

const byNumber = required("block", blockNumber);
const byHash = required("blockHash", hash);
const position = required("index", index);
const anything = (name: string) => optional(name, json, undefined);

const NO_COMPILERS = "compilers left Ethereum nodes long ago; compile with solc";

const proofOfWork = {
  eth_mining: constant({ value: false, summary: "There is no mining on this chain." }),
  eth_hashrate: constant({ value: "0x0", summary: "There is no mining on this chain." }),
  eth_submitWork: constant({
    value: false,
    summary: "There is no proof of work on this chain.",
    params: [anything("nonce"), anything("powHash"), anything("mixDigest")],
  }),
  eth_submitHashrate: constant({
    value: false,
    summary: "There is no proof of work on this chain.",
    params: [anything("rate"), anything("id")],
  }),
  eth_getWork: refused("there is no proof of work on this chain"),
  eth_getUncleCountByBlockHash: constant({ value: "0x0", summary: "There are no uncles.", params: [byHash] }),
  eth_getUncleCountByBlockNumber: constant({ value: "0x0", summary: "There are no uncles.", params: [byNumber] }),
  eth_getUncleByBlockHashAndIndex: constant({
    value: null,
    summary: "There are no uncles.",
    params: [byHash, position],
  }),
  eth_getUncleByBlockNumberAndIndex: constant({
    value: null,
    summary: "There are no uncles.",
    params: [byNumber, position],
  }),
  eth_getCompilers: constant({ value: [], summary: "The node has no compilers." }),
  ...refusedAll(["eth_compileLLL", "eth_compileSolidity", "eth_compileSerpent"], NO_COMPILERS),
};

const notYet = {
  eth_createAccessList: refused("not yet: access lists are not computed in this version"),
  ...refusedAll(["eth_simulateV1", "eth_callMany"], "not yet: simulation over several calls"),
  eth_sendRawTransactionSync: refused("not yet: send with eth_sendRawTransaction and ask for the receipt"),
  eth_getStorageValues: refused("not yet: read words with eth_getStorageAt"),
  eth_config: refused("not yet: fork configuration is not served in this version"),
  eth_getTransactionBySenderAndNonce: refused("not yet: there is no index by sender and nonce"),
  eth_pendingTransactions: refused("not yet: read the pool with txpool_content"),
};

/** The `eth` namespace. */
export const eth = { ...ethState, ...ethBlocks, ...ethFilters, ...ethSign, ...proofOfWork, ...notYet };
