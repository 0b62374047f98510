/** Owns the whole `eth` table: the served parts and the names that are constant or refused. */
import { blockNumber } from "../block-selector.ts";
import { hash, index, json } from "../codecs.ts";
import { constant, optional, refused, refusedAll, required } from "../method.ts";
import { ethBlocks } from "./eth-blocks.ts";
import { ethFilters } from "./eth-filters.ts";
import { ethSign } from "./eth-sign.ts";
import { ethSimulation } from "./eth-simulation.ts";
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

/** The `eth` namespace. */
export const eth = {
  ...ethState,
  ...ethBlocks,
  ...ethFilters,
  ...ethSign,
  ...ethSimulation,
  ...proofOfWork,
};
