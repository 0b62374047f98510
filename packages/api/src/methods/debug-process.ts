/**
 * Owns the table rows of `debug` about the process: profiles, memory, garbage collection, logs. Private where they
 * write files, change the process or show its insides.
 */
import { fileName, lineFilter, seconds, verbosity } from "../debug-params.ts";
import type { RpcErrorName } from "../errors.ts";
import {
  type Method,
  method,
  optional,
  type Param,
  type ResultShape,
  refused,
  refusedAll,
  required,
} from "../method.ts";
import { results } from "../shapes.ts";

const SPEC = "chain-node: Other catalogued method names";
const FILE_ERRORS = ["no-debug-directory", "debug-directory-full", "unwritable-file"] as const;
const NO_THREADS = "the runtime has one thread: nothing blocks in it and there are no locks to profile";

function ofProcess<const P extends readonly Param<unknown>[]>(
  params: P,
  result: ResultShape,
  summary: string,
  errors: readonly RpcErrorName[] = [],
): Method<P> {
  return method({ params, result, access: "private", errors, summary, spec: SPEC });
}

const file = required("file", fileName);

/** Facilities of the process in the words of geth. */
export const debugProcess = {
  debug_memStats: method({
    params: [],
    result: results.record,
    summary: "Memory of the process and its heap, in Go's words, in bytes.",
    spec: SPEC,
  }),
  debug_gcStats: method({
    params: [],
    result: results.record,
    summary: "Garbage collections since the start: their count, and the latest 256 pauses in nanoseconds.",
    spec: SPEC,
  }),
  debug_freeOSMemory: ofProcess([], results.null, "Collects garbage now."),
  debug_stacks: ofProcess(
    [optional("filter", lineFilter, "")],
    results.string,
    "The stack of the main thread and what the event loop waits for; only lines that contain the filter.",
  ),
  debug_cpuProfile: ofProcess(
    [file, required("seconds", seconds)],
    results.null,
    "Takes a CPU profile for some seconds into a file of the debug directory (`.cpuprofile` of V8).",
    ["cpu-profile-running", ...FILE_ERRORS],
  ),
  debug_startCPUProfile: ofProcess(
    [file],
    results.null,
    "Starts a CPU profile; it ends with `debug_stopCPUProfile`, after ten minutes at the latest.",
    ["cpu-profile-running", ...FILE_ERRORS],
  ),
  debug_stopCPUProfile: ofProcess([], results.null, "Ends the CPU profile and writes its file.", [
    "cpu-profile-not-running",
    "unwritable-file",
  ]),
  debug_writeMemProfile: ofProcess(
    [file],
    results.null,
    "Writes a heap snapshot into a file of the debug directory. It holds every text of the process, secrets too.",
    FILE_ERRORS,
  ),
  debug_goTrace: ofProcess(
    [file, required("seconds", seconds)],
    results.null,
    "Traces the runtime (file system, network, thread pool, V8) for some seconds into a file of the debug directory.",
    ["trace-running", ...FILE_ERRORS],
  ),
  debug_startGoTrace: ofProcess(
    [file],
    results.null,
    "Starts a trace of the runtime; it ends with `debug_stopGoTrace`, after ten minutes at the latest.",
    ["trace-running", ...FILE_ERRORS],
  ),
  debug_stopGoTrace: ofProcess([], results.null, "Ends the trace of the runtime and writes its file.", [
    "trace-not-running",
    "unwritable-file",
  ]),
  debug_verbosity: ofProcess(
    [required("level", verbosity)],
    results.null,
    "Sets the log level: 0 silent, 1 error, 2 warn, 3 info, 4 and 5 debug.",
    ["log-level-fixed"],
  ),
  ...refusedAll(
    [
      ...(["debug_blockProfile", "debug_setBlockProfileRate", "debug_writeBlockProfile"] as const),
      ...(["debug_mutexProfile", "debug_setMutexProfileFraction", "debug_writeMutexProfile"] as const),
    ],
    NO_THREADS,
  ),
  debug_vmodule: refused("logs carry no source files to choose by: use debug_verbosity"),
  debug_backtraceAt: refused("logs carry no source lines to stop at: use debug_stacks"),
  ...refusedAll(
    ["debug_setGCPercent", "debug_setMemoryLimit"],
    "the runtime sizes its heap itself: give --max-old-space-size when starting",
  ),
};
