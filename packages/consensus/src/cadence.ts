/**
 * When blocks start. One interval after the start before; a late block starts at once and the count goes on from
 * there, so that no delay is made up for by a burst.
 */

/** Waits for the next start. */
export interface Cadence {
  /** Resolves when the next block may start, at once after {@link Cadence.stop}. */
  next(): Promise<void>;
  /** Starts the next block without waiting for its time. */
  wake(): void;
  stop(): void;
}

/** Start of the next block: an interval after the last, or now when that has passed. Milliseconds of one clock. */
export function nextStart(lastStartMs: number, intervalMs: number, nowMs: number): number {
  return Math.max(lastStartMs + intervalMs, nowMs);
}

/** A cadence on the process' monotonic clock; the first block starts at once. */
export function createCadence(intervalMs: number): Cadence {
  let start = performance.now() - intervalMs;
  let stopped = false;
  let proceed: (() => void) | undefined;
  return {
    next: async () => {
      const planned = nextStart(start, intervalMs, performance.now());
      const delay = planned - performance.now();
      if (delay > 0 && !stopped) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, delay);
          proceed = () => {
            clearTimeout(timer);
            resolve();
          };
        });
        proceed = undefined;
      }
      start = Math.min(planned, performance.now());
    },
    wake: () => proceed?.(),
    stop: () => {
      stopped = true;
      proceed?.();
    },
  };
}
