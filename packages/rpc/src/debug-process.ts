/**
 * Owns the handlers of `debug` about the process. Recording is `debug-profiles`', reading the runtime
 * `debug-runtime`'s.
 */
import { type debugProcess, type Handlers, rpcError } from "@cairn/api";
import type { DebugDirectory } from "./debug-directory.ts";
import { createProfiles } from "./debug-profiles.ts";
import { collectGarbage, createCollectionLog, memoryStats, stackDump } from "./debug-runtime.ts";
import type { LogLevel, RpcSettings } from "./options.ts";

/** geth's numbers. */
const LEVELS: readonly LogLevel[] = ["silent", "error", "warn", "info", "debug", "debug"];

const DONE = "null";

/** The handlers, and an end to what they watch and record. */
export type DebugProcessHandlers = Handlers<typeof debugProcess> & { close(): void };

/** Handlers over this process. */
export function debugProcessHandlers(
  { setLogLevel }: Pick<RpcSettings, "setLogLevel">,
  directory: DebugDirectory,
): DebugProcessHandlers {
  const collections = createCollectionLog();
  const profiles = createProfiles(directory);
  const done = async (work: Promise<void>): Promise<string> => {
    await work;
    return DONE;
  };
  return {
    debug_memStats: () => JSON.stringify(memoryStats(collections)),
    debug_gcStats: () => JSON.stringify(collections.stats()),
    debug_freeOSMemory: () => {
      collectGarbage();
      return DONE;
    },
    debug_stacks: ([filter]) => JSON.stringify(stackDump(filter)),
    debug_cpuProfile: ([file, seconds]) => done(profiles.cpu.take(file, seconds)),
    debug_startCPUProfile: ([file]) => done(profiles.cpu.start(file)),
    debug_stopCPUProfile: () => done(profiles.cpu.stop()),
    debug_writeMemProfile: ([file]) => done(profiles.heap(file)),
    debug_goTrace: ([file, seconds]) => done(profiles.trace.take(file, seconds)),
    debug_startGoTrace: ([file]) => done(profiles.trace.start(file)),
    debug_stopGoTrace: () => done(profiles.trace.stop()),
    debug_verbosity: ([level]) => {
      if (setLogLevel === undefined) throw rpcError("log-level-fixed", {});
      setLogLevel(LEVELS[level] ?? "info");
      return DONE;
    },
    close() {
      collections.close();
      profiles.close();
    },
  };
}
