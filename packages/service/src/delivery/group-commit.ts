/** Changes that arrive together become durable together: one transaction per turn of the event loop. */
import type { Database } from "@cairn/aggregator";

/** Gathers changes of one database. */
export interface GroupCommit {
  /** Resolves once `work` is durable; rejects when its transaction failed, of which nothing remains then. */
  run(work: () => void): Promise<void>;
  /** Ends with the last commit. */
  close(): Promise<void>;
}

interface Waiting {
  readonly work: () => void;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Makes the gathering of one database. */
export function createGroupCommit(database: Database): GroupCommit {
  let waiting: Waiting[] = [];
  let flushing: Promise<void> | undefined;
  const flush = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    flushing = undefined;
    const group = waiting;
    waiting = [];
    try {
      database.transaction(() => {
        for (const { work } of group) work();
      });
    } catch (error) {
      for (const { reject } of group) reject(error);
      return;
    }
    for (const { resolve } of group) resolve();
  };
  return {
    run: (work) =>
      new Promise((resolve, reject) => {
        waiting.push({ work, resolve, reject });
        flushing ??= flush();
      }),
    close: async () => {
      await flushing;
    },
  };
}
