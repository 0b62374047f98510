/** A worker: one step after another, woken or by the clock, backing off on failure. Owns no work of its own. */
import type { Log } from "./ports.ts";

/** A running worker. */
export interface Loop {
  /** Runs the step soon, at once when it is idle. */
  wake(): void;
  /** The last failure's message while failing; undefined when the last step succeeded. */
  failing(): string | undefined;
  /** Lets the step in progress end, then stops. */
  close(): Promise<void>;
}

/** How long a worker rests. `wake` cuts `restMs` short, but never below `atLeastMs`. */
export interface Rest {
  readonly restMs: number;
  /** Lets work gather into larger groups; default 0. */
  readonly atLeastMs?: number;
}

const FIRST_BACKOFF_MS = 200;
const MAX_BACKOFF_MS = 5_000;

/**
 * Starts a worker. `step` answers how long to rest; `wake` cuts the rest short. A step that throws is logged and
 * tried again, later each time up to 5 s, by chance up to half of it earlier.
 */
export function startLoop(o: {
  readonly name: string;
  readonly step: () => Promise<Rest>;
  readonly log: Log;
  readonly onFailure?: (error: unknown) => void;
  /** From 0 to 1: spreads retries, so that workers do not knock together. */
  readonly random?: () => number;
}): Loop {
  const { random = Math.random } = o;
  let closed = false;
  let woken = false;
  let mayWake = true;
  let failure: string | undefined;
  let failures = 0;
  let stopResting: () => void = () => {};
  const rest = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      stopResting = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  const attempt = async (): Promise<Rest> => {
    try {
      const wanted = await o.step();
      if (failures > 0) o.log.info({ worker: o.name, failures }, "worker recovered");
      failure = undefined;
      failures = 0;
      return wanted;
    } catch (error) {
      failure = error instanceof Error ? error.message : String(error);
      failures += 1;
      o.onFailure?.(error);
      const level = failures === 1 || failures % 20 === 0 ? "warn" : "debug";
      o.log[level]({ worker: o.name, error: failure, failures }, "worker step failed, retrying");
      const longest = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (failures - 1));
      const backoffMs = longest * (0.5 + random() / 2);
      return { restMs: backoffMs, atLeastMs: backoffMs };
    }
  };
  const run = async (): Promise<void> => {
    while (!closed) {
      woken = false;
      const { restMs, atLeastMs = 0 } = await attempt();
      mayWake = false;
      if (!closed && atLeastMs > 0) await rest(atLeastMs);
      mayWake = true;
      if (!closed && !woken && restMs > atLeastMs) await rest(restMs - atLeastMs);
    }
  };
  const done = run();
  return {
    wake: () => {
      woken = true;
      if (mayWake) stopResting();
    },
    failing: () => failure,
    close: async () => {
      closed = true;
      stopResting();
      await done;
    },
  };
}
