/** Owns the table of `debug`. */
import { blockSelector } from "../block-selector.ts";
import { hash } from "../codecs.ts";
import { method, refused, refusedAll, required } from "../method.ts";
import { results } from "../shapes.ts";
import { debugTrace } from "./debug-trace.ts";

const block = required("block", blockSelector);
const SPEC = "execution-apis: debug";
const NO_FILES = "not yet: traces from and to files are not part of this version";
const NO_PROFILING = "not yet: profiling is not part of this version";
const GO_ONLY = "a facility of the Go runtime, which this node does not run on";

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
  ...debugTrace,
  ...refusedAll(
    ["debug_traceBlockFromFile", "debug_standardTraceBlockToFile", "debug_standardTraceBadBlockToFile"],
    NO_FILES,
  ),
  ...refusedAll(
    [
      ...(["debug_cpuProfile", "debug_startCPUProfile", "debug_stopCPUProfile", "debug_writeMemProfile"] as const),
      ...(["debug_memStats", "debug_gcStats", "debug_freeOSMemory", "debug_stacks"] as const),
    ],
    NO_PROFILING,
  ),
  ...refusedAll(
    [
      ...([
        "debug_blockProfile",
        "debug_setBlockProfileRate",
        "debug_writeBlockProfile",
        "debug_mutexProfile",
      ] as const),
      ...(["debug_setMutexProfileFraction", "debug_writeMutexProfile", "debug_goTrace"] as const),
      ...(["debug_startGoTrace", "debug_stopGoTrace", "debug_setGCPercent", "debug_backtraceAt"] as const),
    ],
    GO_ONLY,
  ),
  ...refusedAll(["debug_verbosity", "debug_vmodule"], "not yet: set the log level when starting the node"),
  ...refusedAll(["debug_dumpBlock", "debug_storageRangeAt"], "not yet: state is not listed in this version"),
  debug_getBlockRlp: refused("renamed long ago: use debug_getRawBlock"),
  debug_seedHash: refused("there is no proof of work on this chain"),
  debug_setHead: refused("a committed block is final: rewinding would make this node sign a height twice"),
};
