/** What event streams did since the start of the process. */
import type { StreamEnd } from "./event-stream.ts";

/** Counts of all streams. */
export interface StreamCounts {
  /** An event went out on a stream. */
  sent(): void;
  /** A stream ended. */
  ended(reason: StreamEnd): void;
  read(): { readonly sent: number; readonly ended: Readonly<Record<StreamEnd, number>> };
}

/** Counts from 0. */
export function createStreamCounts(): StreamCounts {
  const ended: Record<StreamEnd, number> = { closed: 0, "not-allowed": 0, "too-slow": 0 };
  let sent = 0;
  return {
    sent: () => {
      sent += 1;
    },
    ended: (reason) => {
      ended[reason] += 1;
    },
    read: () => ({ sent, ended: { ...ended } }),
  };
}
