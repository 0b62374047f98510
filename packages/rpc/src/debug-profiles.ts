/**
 * Owns profiles of the process: CPU profiles, traces of the runtime and heap snapshots, by the runtime's own inspector,
 * written to files of the debug directory. One CPU profile and one trace at a time; each ends after ten minutes.
 */
import type { FileHandle } from "node:fs/promises";
import { Session } from "node:inspector/promises";
import { pipeline } from "node:stream/promises";
import { setTimeout as delay } from "node:timers/promises";
import { getHeapSnapshot } from "node:v8";
import { type RpcErrorName, rpcError } from "@cairn/api";
import type { DebugDirectory } from "./debug-directory.ts";

const LONGEST_MS = 600_000;
/** Events of a trace that are kept; later ones are dropped. */
const MOST_TRACE_BYTES = 256 * 1024 * 1024;
const CATEGORIES = ["node", "node.async_hooks", "node.fs.async", "node.threadpoolwork.async", "node.perf", "v8"];

/** A profile that can be started and stopped. */
export interface Recorder {
  /** Starts into a file; throws `RpcError` when one is being taken. */
  start(name: string): Promise<void>;
  /** Ends and writes it; throws `RpcError` when none is being taken. */
  stop(): Promise<void>;
  /** Starts, and ends after some seconds. */
  take(name: string, seconds: number): Promise<void>;
}

/** The process' profiles. */
export interface Profiles {
  readonly cpu: Recorder;
  readonly trace: Recorder;
  /** Writes a heap snapshot. */
  heap(name: string): Promise<void>;
  /** Ends what is being taken. */
  close(): void;
}

/** What records: begins, and ends with the file's text. */
interface Source {
  begin(): Promise<void>;
  end(): Promise<string>;
}

function cpuSource(): Source {
  const session = new Session();
  return {
    async begin() {
      session.connect();
      await session.post("Profiler.enable");
      await session.post("Profiler.start");
    },
    async end() {
      const { profile } = await session.post("Profiler.stop");
      session.disconnect();
      return JSON.stringify(profile);
    },
  };
}

function traceSource(): Source {
  const session = new Session();
  const events: string[] = [];
  let bytes = 0;
  return {
    async begin() {
      session.connect();
      session.on("NodeTracing.dataCollected", ({ params }) => {
        for (const event of params.value) {
          const text = JSON.stringify(event);
          bytes += text.length;
          if (bytes <= MOST_TRACE_BYTES) events.push(text);
        }
      });
      await session.post("NodeTracing.start", { traceConfig: { includedCategories: CATEGORIES } });
    },
    async end() {
      const complete = new Promise((resolve) => session.once("NodeTracing.tracingComplete", resolve));
      await session.post("NodeTracing.stop");
      await complete;
      session.disconnect();
      return `{"traceEvents":[${events.join(",\n")}]}`;
    },
  };
}

async function write(file: FileHandle, text: string): Promise<void> {
  try {
    await file.writeFile(text);
  } catch {
    throw rpcError("unwritable-file", { fault: "no space left" });
  } finally {
    await file.close();
  }
}

interface Recording {
  readonly source: Source;
  readonly file: FileHandle;
  readonly timer: NodeJS.Timeout;
}

type Faults = readonly [running: RpcErrorName & `${string}-running`, notRunning: RpcErrorName & `${string}-running`];

function createRecorder(
  directory: DebugDirectory,
  makeSource: () => Source,
  [running, notRunning]: Faults,
): Recorder & { readonly close: () => void } {
  /** `starting` from the moment a start is asked for, so that no second one slips in. */
  let current: Recording | "starting" | undefined;

  async function begin(name: string): Promise<Recording> {
    const file = await directory.create(name);
    try {
      const source = makeSource();
      await source.begin();
      const timer = setTimeout(() => void stop(recording).catch(() => undefined), LONGEST_MS);
      timer.unref();
      const recording = { source, file, timer };
      return recording;
    } catch (error) {
      await file.close();
      throw error;
    }
  }
  async function start(name: string): Promise<Recording> {
    if (current !== undefined) throw rpcError(running, {});
    current = "starting";
    try {
      const recording = await begin(name);
      current = recording;
      return recording;
    } catch (error) {
      current = undefined;
      throw error;
    }
  }
  async function stop(recording: Recording): Promise<void> {
    if (current !== recording) return;
    current = undefined;
    clearTimeout(recording.timer);
    await write(recording.file, await recording.source.end());
  }
  return {
    start: async (name) => void (await start(name)),
    async stop() {
      if (current === undefined || current === "starting") throw rpcError(notRunning, {});
      await stop(current);
    },
    async take(name, seconds) {
      const recording = await start(name);
      await delay(seconds * 1000, undefined, { ref: false });
      await stop(recording);
    },
    close() {
      if (current !== undefined && current !== "starting") stop(current).catch(() => undefined);
    },
  };
}

/** Profiles into files of `directory`. */
export function createProfiles(directory: DebugDirectory): Profiles {
  const cpu = createRecorder(directory, cpuSource, ["cpu-profile-running", "cpu-profile-not-running"]);
  const trace = createRecorder(directory, traceSource, ["trace-running", "trace-not-running"]);
  return {
    cpu,
    trace,
    async heap(name) {
      const file = await directory.create(name);
      try {
        await pipeline(getHeapSnapshot(), file.createWriteStream());
      } catch {
        throw rpcError("unwritable-file", { fault: "no space left" });
      }
    },
    close() {
      cpu.close();
      trace.close();
    },
  };
}
