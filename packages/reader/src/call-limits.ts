/**
 * How many calls are under way at once, to one host and altogether: a list of thousands of entries opens no thousands of
 * connections, and neither a host that stalls nor one that many entries share takes the places of others.
 */

/** A gate for calls. */
export interface CallLimits {
  /** Runs a call when it is its turn. Rejects with the signal's reason when aborted while it waits. */
  run<T>(host: string, call: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

/** How many, at the most. */
export interface CallLimitsOptions {
  readonly perHost: number;
  readonly total: number;
}

/** What a reader allows itself. */
export const READER_LIMITS: CallLimitsOptions = { perHost: 16, total: 512 };

interface Line {
  active: number;
  /** In the order in which they came. */
  readonly waiting: Set<() => void>;
}

/** Limits over calls that are run through them. Hosts take turns; calls to one host go in order. */
export function createCallLimits({ perHost, total }: CallLimitsOptions): CallLimits {
  const lines = new Map<string, Line>();
  /** Hosts with a call that could begin if there were a place. */
  const ready = new Set<string>();
  let active = 0;

  function lineOf(host: string): Line {
    const line = lines.get(host) ?? { active: 0, waiting: new Set() };
    lines.set(host, line);
    return line;
  }

  function mark(host: string, line: Line): void {
    if (line.waiting.size > 0 && line.active < perHost) ready.add(host);
    else ready.delete(host);
    if (line.waiting.size === 0 && line.active === 0) lines.delete(host);
  }

  function begin(): void {
    while (active < total) {
      const [host] = ready;
      if (host === undefined) return;
      ready.delete(host);
      const line = lineOf(host);
      const [start] = line.waiting;
      if (start !== undefined) {
        line.waiting.delete(start);
        line.active += 1;
        active += 1;
        start();
      }
      mark(host, line);
    }
  }

  function turn(host: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const line = lineOf(host);
      const start = () => {
        signal.removeEventListener("abort", leave);
        resolve();
      };
      const leave = () => {
        line.waiting.delete(start);
        mark(host, line);
        reject(signal.reason);
      };
      signal.addEventListener("abort", leave, { once: true });
      line.waiting.add(start);
      mark(host, line);
      begin();
    });
  }

  return {
    async run(host, call, signal) {
      await turn(host, signal);
      try {
        return await call();
      } finally {
        const line = lineOf(host);
        line.active -= 1;
        active -= 1;
        mark(host, line);
        begin();
      }
    },
  };
}
