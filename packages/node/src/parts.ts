/** Owns opening a node's parts in order and closing them in the reverse one within a bounded time. */
import type { Log } from "@cairn/chain";

/** Something with an end. */
export interface Closable {
  close(): Promise<void>;
}

/** The parts opened so far. */
export interface Parts {
  /** Opens one more part; when that fails, the caller closes the others. */
  open<T extends Closable>(name: string, make: () => Promise<T> | T): Promise<T>;
  /**
   * Closes all, last first. A part that does not end in time is left behind, and what fails is logged: closing always
   * ends.
   */
  close(): Promise<void>;
}

/** Time that all parts together get to close, in milliseconds. */
export const CLOSE_WITHIN_MS = 4_500;

/** No parts yet. */
export function createParts(log: Log, closeWithinMs = CLOSE_WITHIN_MS): Parts {
  const opened: { readonly name: string; readonly part: Closable }[] = [];
  let closing: Promise<void> | undefined;
  const closeAll = async (): Promise<void> => {
    const deadline = performance.now() + closeWithinMs;
    for (const { name, part } of opened.splice(0).reverse()) {
      await closeOne(name, part, Math.max(1, deadline - performance.now()), log);
    }
  };
  return {
    async open(name, make) {
      const part = await make();
      opened.push({ name, part });
      return part;
    },
    close() {
      closing ??= closeAll();
      return closing;
    },
  };
}

async function closeOne(name: string, part: Closable, withinMs: number, log: Log): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<"late">();
  const timer = setTimeout(() => resolve("late"), withinMs);
  try {
    const closed = part.close().then(() => "closed" as const);
    if ((await Promise.race([closed, late])) === "late") log.warn({ part: name }, "did not close in time; left behind");
  } catch (error) {
    log.error({ part: name, err: error }, "failed to close");
  } finally {
    clearTimeout(timer);
  }
}
