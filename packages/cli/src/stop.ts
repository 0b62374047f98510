/** The end of a long-running command: a signal, or the failure of one of its parts. */

/** Something that runs until it is closed. */
export interface Stoppable {
  /** Rejects when a part has failed. */
  readonly failed: Promise<never>;
  close(): Promise<void>;
}

const PATIENCE_MS = 10_000;
/** A terminal's Ctrl-C reaches this process twice when a launcher forwards it too. */
const SAME_SIGNAL_MS = 1_000;

/** Resolves when SIGINT or SIGTERM came and everything is closed; a second signal later ends at once. */
export async function untilStopped(running: Stoppable): Promise<void> {
  const signal = new Promise<void>((resolve) => {
    let firstAt: number | undefined;
    const onSignal = () => {
      firstAt ??= performance.now();
      if (performance.now() - firstAt > SAME_SIGNAL_MS) process.exit(130);
      resolve();
    };
    process.on("SIGINT", onSignal);
    process.on("SIGTERM", onSignal);
  });
  try {
    await Promise.race([signal, running.failed]);
  } finally {
    const late = setTimeout(() => process.exit(1), PATIENCE_MS);
    late.unref();
    await running.close();
    clearTimeout(late);
  }
}
