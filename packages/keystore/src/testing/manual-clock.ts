/** For tests: a clock that stands still until it is moved. */
import type { Clock } from "../clock.ts";

/** A clock and the hand that moves it. */
export interface ManualClock extends Clock {
  /** Lets time pass; timers that fall due call back in order. */
  pass(ms: number): void;
  /** Timers that wait. */
  readonly timers: number;
}

/** Starts at 0 ms, 2026-01-02 03:04:05.678 UTC. */
export function createManualClock(): ManualClock {
  let nowMs = 0;
  const timers = new Set<{ readonly atMs: number; readonly callback: () => void }>();
  return {
    monotonicMs: () => nowMs,
    date: () => new Date("2026-01-02T03:04:05.678Z"),
    after(ms, callback) {
      const timer = { atMs: nowMs + ms, callback };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    pass(ms) {
      const end = nowMs + ms;
      for (;;) {
        const [next] = [...timers].filter(({ atMs }) => atMs <= end).sort((a, b) => a.atMs - b.atMs);
        if (next === undefined) break;
        timers.delete(next);
        nowMs = next.atMs;
        next.callback();
      }
      nowMs = end;
    },
    get timers() {
      return timers.size;
    },
  };
}
