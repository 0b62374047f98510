/**
 * Owns what the runtime tells of itself: memory, garbage collections, stacks. Shapes and words are Go's where Go has
 * the thing.
 */
import { PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const MOST_PAUSES = 256;
const NANOSECONDS = 1e6;

interface Pause {
  readonly nanoseconds: number;
  readonly endMs: number;
}

/** What garbage collection did since the log began. */
export interface CollectionLog {
  stats(): object;
  pauses(): { readonly count: number; readonly totalNanoseconds: number };
  close(): void;
}

/** Watches garbage collections from now on. */
export function createCollectionLog(): CollectionLog {
  const latest: Pause[] = [];
  let [count, totalNanoseconds] = [0, 0];
  const observer = new PerformanceObserver((list) => {
    for (const { duration, startTime } of list.getEntries()) {
      const nanoseconds = Math.round(duration * NANOSECONDS);
      count += 1;
      totalNanoseconds += nanoseconds;
      latest.unshift({ nanoseconds, endMs: performance.timeOrigin + startTime + duration });
      latest.length = Math.min(latest.length, MOST_PAUSES);
    }
  });
  observer.observe({ entryTypes: ["gc"] });
  const time = (ms: number): string => new Date(ms).toISOString();
  return {
    stats: () => ({
      LastGC: time(latest[0]?.endMs ?? 0),
      NumGC: count,
      PauseTotal: totalNanoseconds,
      Pause: latest.map(({ nanoseconds }) => nanoseconds),
      PauseEnd: latest.map(({ endMs }) => time(endMs)),
      PauseQuantiles: null,
    }),
    pauses: () => ({ count, totalNanoseconds }),
    close: () => observer.disconnect(),
  };
}

/** Memory in bytes: Go's names for what both runtimes have, V8's spaces beside. */
export function memoryStats(collections: CollectionLog): object {
  const { rss, external, arrayBuffers } = process.memoryUsage();
  const heap = getHeapStatistics();
  const { count, totalNanoseconds } = collections.pauses();
  return {
    Alloc: heap.used_heap_size + external,
    Sys: rss,
    HeapAlloc: heap.used_heap_size,
    HeapSys: heap.total_heap_size,
    HeapIdle: heap.total_heap_size - heap.used_heap_size,
    HeapInuse: heap.used_heap_size,
    HeapLimit: heap.heap_size_limit,
    NumGC: count,
    PauseTotalNs: totalNanoseconds,
    Native: heap.malloced_memory,
    External: external,
    ArrayBuffers: arrayBuffers,
    HeapSpaces: getHeapSpaceStatistics().map((space) => ({
      Name: space.space_name,
      Size: space.space_size,
      Used: space.space_used_size,
    })),
  };
}

/** Collects all garbage. */
export function collectGarbage(): void {
  // The flag makes the function appear in contexts made after it.
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect === "function") collect();
}

interface Report {
  readonly javascriptStack?: { readonly stack?: readonly string[] };
  readonly nativeStack?: readonly { readonly symbol: string }[];
  readonly workers?: readonly unknown[];
}

/** The main thread's stack and what the event loop waits for; only lines that contain `filter`. */
export function stackDump(filter: string): string {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const report = process.report?.getReport() as Report | undefined;
  const native = (report?.nativeStack ?? []).map(({ symbol }) => symbol).filter((symbol) => symbol !== "");
  const sections: readonly (readonly [string, readonly string[]])[] = [
    ["main thread", report?.javascriptStack?.stack ?? []],
    ["main thread, native", native],
    ["event loop waits for", [...counts].map(([kind, count]) => `${count} ${kind}`)],
    ["worker threads", [String(report?.workers?.length ?? 0)]],
  ];
  const shown = sections.map(([title, lines]) => [title, lines.filter((line) => line.includes(filter))] as const);
  return shown
    .filter(([, lines]) => lines.length > 0)
    .map(([title, lines]) => `${title}:\n${lines.map((line) => `    ${line}\n`).join("")}`)
    .join("\n");
}
