/** Reads that many ask for and one is enough of. */

/** A reading that callers share: those that come while it goes on, or within `keptMs` after it, get the same. */
export function coalesced<T>(keptMs: number, read: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  let endedAtMs = Number.NEGATIVE_INFINITY;
  return () => {
    if (running !== undefined && performance.now() - endedAtMs < keptMs) return running;
    endedAtMs = Number.POSITIVE_INFINITY;
    running = read().finally(() => {
      endedAtMs = performance.now();
    });
    running.catch(() => {
      endedAtMs = Number.NEGATIVE_INFINITY;
    });
    return running;
  };
}
