/**
 * One stream of server-sent events: from a number on, in order, none lost and none twice, until the caller goes, its key
 * ends, or it reads too slowly. Owns the pace of one connection; not who may open one.
 */
import type { SubmissionEventRecord } from "@cairn/aggregator";
import type { EventFeed } from "./event-feed.ts";

/** Where the text goes. */
export interface EventSink {
  /** False: the text waits in memory; `drained` tells when it went. */
  write(text: string): boolean;
  drained(timeoutMs: number): Promise<boolean>;
  readonly closed: AbortSignal;
}

/** What a stream is made of. */
export interface EventStreamOptions {
  readonly feed: EventFeed;
  readonly account: string;
  /** Number of the last event the caller has. */
  readonly after: number;
  readonly matches: (event: SubmissionEventRecord) => boolean;
  /** `data` of an event. */
  readonly render: (event: SubmissionEventRecord) => { readonly type: string; readonly json: string };
  /** Is the caller's key still good? Asked at least every second and before anything is sent. */
  readonly isAllowed: () => boolean;
  readonly heartbeatMs: number;
  readonly sink: EventSink;
}

/** Why a stream ended. */
export type StreamEnd = "closed" | "not-allowed" | "too-slow";

const PAGE = 200;
const CHECK_MS = 1_000;
/** A caller that takes nothing for this long is cut. */
const DRAIN_MS = 10_000;
const RECONNECT_MS = 2_000;

/** Runs a stream to its end. */
export async function runEventStream(o: EventStreamOptions): Promise<StreamEnd> {
  let { after } = o;
  let saidAtMs = performance.now();
  o.sink.write(`retry: ${RECONNECT_MS}\n\n`);
  while (!o.sink.closed.aborted) {
    if (!o.isAllowed()) return "not-allowed";
    const page = await o.feed.read({ after, limit: PAGE, account: o.account });
    if (o.sink.closed.aborted) break;
    const text = page.events
      .filter(o.matches)
      .map((event) => frame(event, o))
      .join("");
    after = page.to;
    const isDue = performance.now() - saidAtMs >= o.heartbeatMs;
    if (text !== "" || isDue) {
      // Also the number moves on: whoever comes back need not have what was filtered out looked at again.
      const flowing = o.sink.write(text === "" ? `: heartbeat\nid: ${after}\n\n` : text);
      saidAtMs = performance.now();
      if (!flowing && !(await o.sink.drained(DRAIN_MS))) return o.sink.closed.aborted ? "closed" : "too-slow";
    }
    if (after >= o.feed.head()) await o.feed.next(after, Math.min(CHECK_MS, o.heartbeatMs), o.sink.closed);
  }
  return "closed";
}

function frame(event: SubmissionEventRecord, o: EventStreamOptions): string {
  const { type, json } = o.render(event);
  return `id: ${event.seq}\nevent: ${type}\ndata: ${json}\n\n`;
}
