/** Owns the table rows of `debug` that trace: run again what was run, with a tracer looking on. */
import { blockNumber, blockSelector } from "../block-selector.ts";
import { callObject } from "../call-object.ts";
import { dataUpTo, hash } from "../codecs.ts";
import { fileName } from "../debug-params.ts";
import { method, optional, required } from "../method.ts";
import { results } from "../shapes.ts";
import {
  type StandardTraceConfig,
  standardTraceConfig,
  type TraceCallConfig,
  type TraceConfig,
  traceCallConfig,
  traceConfig,
} from "../trace-config.ts";

const SPEC = "chain-node: Debug";
/** Longest RLP of a block that is taken. */
export const MAX_BLOCK_BYTES = 8 * 1024 * 1024;
const DEFAULTS: TraceConfig = {};
const CALL_DEFAULTS: TraceCallConfig = {};
const STANDARD_DEFAULTS: StandardTraceConfig = {};
const options = optional("options", traceConfig, DEFAULTS);

/** Traces in geth's shapes. */
export const debugTrace = {
  debug_traceTransaction: method({
    params: [required("hash", hash), options],
    result: results.trace,
    errors: ["transaction-not-found", "genesis-not-traceable", "trace-failed", "busy"],
    summary: "Runs a committed transaction again on the state it met, with struct logs or the named tracer.",
    spec: SPEC,
  }),
  debug_traceBlockByNumber: method({
    params: [required("block", blockNumber), options],
    result: results.blockTraces,
    errors: ["block-number-not-found", "genesis-not-traceable", "trace-failed", "busy"],
    summary: "The traces of all transactions of a block by number or tag.",
    spec: SPEC,
  }),
  debug_traceBlockByHash: method({
    params: [required("blockHash", hash), options],
    result: results.blockTraces,
    errors: ["block-hash-not-found", "genesis-not-traceable", "trace-failed", "busy"],
    summary: "The traces of all transactions of a block by hash.",
    spec: SPEC,
  }),
  debug_traceBlock: method({
    params: [required("block", dataUpTo(MAX_BLOCK_BYTES)), options],
    result: results.blockTraces,
    errors: ["undecodable-block", "block-hash-not-found", "genesis-not-traceable", "trace-failed", "busy"],
    summary: "The traces of all transactions of a block of this chain given as RLP.",
    spec: SPEC,
  }),
  debug_traceBlockFromFile: method({
    params: [required("file", fileName), options],
    result: results.blockTraces,
    access: "private",
    errors: [
      ...(["no-debug-directory", "unreadable-file", "undecodable-block", "block-hash-not-found"] as const),
      ...(["genesis-not-traceable", "trace-failed", "busy"] as const),
    ],
    summary: "As `debug_traceBlock`, of the RLP in a file of the node's debug directory.",
    spec: SPEC,
  }),
  debug_traceBadBlock: method({
    params: [required("blockHash", hash), options],
    result: results.blockTraces,
    errors: ["bad-block-not-found"],
    summary: "The traces of a block that was found bad; this node keeps none, so the answer is always an error.",
    spec: "go-ethereum: debug",
  }),
  debug_standardTraceBlockToFile: method({
    params: [required("blockHash", hash), optional("options", standardTraceConfig, STANDARD_DEFAULTS)],
    result: results.strings,
    access: "private",
    errors: [
      ...(["no-debug-directory", "debug-directory-full", "unwritable-file", "block-hash-not-found"] as const),
      ...(["transaction-not-in-block", "genesis-not-traceable", "trace-failed", "busy"] as const),
    ],
    summary:
      "Traces a block's transactions, or the one named, in geth's standard form: a file each, whose paths it answers.",
    spec: SPEC,
  }),
  debug_standardTraceBadBlockToFile: method({
    params: [required("blockHash", hash), optional("options", standardTraceConfig, STANDARD_DEFAULTS)],
    result: results.strings,
    access: "private",
    errors: ["bad-block-not-found"],
    summary: "Traces of a bad block into files; this node keeps none, so the answer is always an error.",
    spec: SPEC,
  }),
  debug_traceCall: method({
    params: [
      required("call", callObject),
      optional("block", blockSelector, "latest" as const),
      optional("options", traceCallConfig, CALL_DEFAULTS),
    ],
    result: results.trace,
    errors: ["header-not-found", "pending-not-traceable", "genesis-not-traceable", "trace-failed", "busy"],
    summary: "Runs a call on a block's state, with overrides of accounts and block, and traces it.",
    spec: SPEC,
  }),
};
