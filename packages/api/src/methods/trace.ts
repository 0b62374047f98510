/** Owns the table of `trace`: traces in the shapes of Parity. */
import { blockSelector } from "../block-selector.ts";
import { callObject } from "../call-object.ts";
import { arrayOf } from "../codec.ts";
import { data, hash, index } from "../codecs.ts";
import { method, optional, required } from "../method.ts";
import { results } from "../shapes.ts";
import { tracedCall, traceFilter, traceType } from "../trace-filter.ts";

const SPEC = "Parity: trace module";
const types = required("types", arrayOf(traceType, 3));
const block = required("block", blockSelector);
const MAX_CALLS = 1000;
const FAULTS = ["trace-failed", "busy"] as const;

/** The `trace` namespace (Parity). */
export const trace = {
  trace_transaction: method({
    params: [required("hash", hash)],
    result: results.parityTracesOrNull,
    errors: FAULTS,
    summary: "The calls and creations of a transaction, flat; null when it is unknown.",
    spec: SPEC,
  }),
  trace_get: method({
    params: [required("hash", hash), required("path", arrayOf(index, 1024))],
    result: results.trace,
    errors: FAULTS,
    summary: "The trace at a path of call indices of a transaction; null when there is none.",
    spec: SPEC,
  }),
  trace_block: method({
    params: [block],
    result: results.parityTracesOrNull,
    errors: ["header-not-found", ...FAULTS],
    summary: "The calls and creations of all transactions of a block, flat.",
    spec: SPEC,
  }),
  trace_filter: method({
    params: [required("filter", traceFilter)],
    result: results.parityTraces,
    errors: ["invalid-block-range", "header-not-found", "trace-range", ...FAULTS],
    summary: "Traces of at most 100 blocks by sender and receiver, at most 10,000.",
    spec: SPEC,
  }),
  trace_call: method({
    params: [required("call", callObject), types, optional("block", blockSelector, "latest" as const)],
    result: results.trace,
    errors: ["header-not-found", "pending-not-traceable", ...FAULTS],
    summary: "Runs a call on a block's state and answers trace, vmTrace and stateDiff as asked.",
    spec: SPEC,
  }),
  trace_replayTransaction: method({
    params: [required("hash", hash), types],
    result: results.trace,
    errors: ["transaction-not-found", ...FAULTS],
    summary: "Runs a committed transaction again and answers trace, vmTrace and stateDiff as asked.",
    spec: SPEC,
  }),
  trace_replayBlockTransactions: method({
    params: [block, types],
    result: results.parityTraces,
    errors: ["header-not-found", ...FAULTS],
    summary: "Runs a block's transactions again and answers trace, vmTrace and stateDiff of each as asked.",
    spec: SPEC,
  }),
  trace_callMany: method({
    params: [required("calls", arrayOf(tracedCall, MAX_CALLS)), optional("block", blockSelector, "latest" as const)],
    result: results.parityTraces,
    errors: ["header-not-found", "pending-not-traceable", ...FAULTS],
    summary:
      "Runs calls one after the other, each on what the ones before left, and answers each as `trace_call` does.",
    spec: SPEC,
  }),
  trace_rawTransaction: method({
    params: [required("raw", data), types, optional("block", blockSelector, "latest" as const)],
    result: results.trace,
    errors: [
      ...(["header-not-found", "pending-not-traceable", "undecodable-transaction", "wrong-chain-id"] as const),
      ...(["invalid-sender", "intrinsic-gas", "block-gas-limit", "oversized", ...FAULTS] as const),
    ],
    summary: "Runs a signed transaction on a block's state without sending it.",
    spec: SPEC,
  }),
};
