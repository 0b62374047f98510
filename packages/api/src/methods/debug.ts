/** Owns the table of `debug`. */
import { blockSelector } from "../block-selector.ts";
import { count, hash } from "../codecs.ts";
import { constant, method, refused, refusedAll, required } from "../method.ts";
import { results } from "../shapes.ts";
import { debugProcess } from "./debug-process.ts";
import { debugState } from "./debug-state.ts";
import { debugTrace } from "./debug-trace.ts";

const block = required("block", blockSelector);
const SPEC = "execution-apis: debug";
const NO_GO_DATABASE = "a facility of go-ethereum's database, which this node does not run on";

/** The `debug` namespace. */
export const debug = {
  debug_getRawHeader: method({
    params: [block],
    result: results.data,
    errors: ["header-not-found"],
    summary: "RLP of a header.",
    spec: SPEC,
  }),
  debug_getRawBlock: method({
    params: [block],
    result: results.data,
    errors: ["header-not-found"],
    summary: "RLP of a block.",
    spec: SPEC,
  }),
  debug_getRawReceipts: method({
    params: [block],
    result: results.dataList,
    errors: ["header-not-found"],
    summary: "The consensus encodings of a block's receipts.",
    spec: SPEC,
  }),
  debug_getRawTransaction: method({
    params: [required("hash", hash)],
    result: results.data,
    summary: "The EIP-2718 bytes of a transaction, also from the pool; 0x when unknown.",
    spec: SPEC,
  }),
  debug_getBlockRlp: method({
    params: [required("block", count)],
    result: results.data,
    errors: ["block-number-not-found"],
    summary: "RLP of a block by number; the older name of `debug_getRawBlock`.",
    spec: "chain-node: Other catalogued method names",
  }),
  debug_printBlock: method({
    params: [required("block", count)],
    result: results.string,
    errors: ["block-number-not-found"],
    summary: "A block with its transactions as text for people.",
    spec: "go-ethereum: debug",
  }),
  debug_getBadBlocks: constant({ value: [], summary: "This node keeps no bad blocks: it never commits one." }),
  ...debugTrace,
  ...debugProcess,
  ...debugState,
  ...refusedAll(
    ["debug_chaindbProperty", "debug_chaindbCompact", "debug_dbGet", "debug_dbAncient", "debug_dbAncients"],
    NO_GO_DATABASE,
  ),
  debug_seedHash: refused("there is no proof of work on this chain"),
  debug_setHead: refused("a committed block is final: rewinding would make this node sign a height twice"),
};
