/**
 * The durable events inside this process: read once from the store, the newest kept in memory for all who follow.
 * Owns no follower; whoever is behind what is kept reads from the store.
 */
import type { Aggregator, EventPage, Log, SubmissionEventRecord } from "@cairn/aggregator";

/** The events and their end. */
export interface EventFeed {
  /** Number of the newest event that can be read. */
  head(): number;
  /** Events after a number, oldest first; of one account where said. */
  read(o: { readonly after: number; readonly limit: number; readonly account?: string }): Promise<EventPage>;
  /** Resolves once there are events after a number, after `timeoutMs`, or when `signal` aborts. */
  next(after: number, timeoutMs: number, signal?: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

const KEPT_EVENTS = 8_192;
const PAGE = 1_000;
/** A notice that was missed costs this long. */
const POLL_MS = 1_000;
/** Events that become durable together are read together. */
const GATHER_MS = 20;

/** Starts following the store's events from the newest on. */
export async function createEventFeed(o: {
  readonly aggregator: Pick<Aggregator, "store" | "nextEvent">;
  readonly signal: AbortSignal;
  readonly log: Log;
}): Promise<EventFeed> {
  const { store } = o.aggregator;
  const waiters = new Set<() => void>();
  let kept: SubmissionEventRecord[] = [];
  let head = await store.lastEvent();
  /** Every event after this one, up to `head`, is in `kept`. */
  let keptAfter = head;

  const readOn = async (): Promise<void> => {
    for (;;) {
      const { events, to } = await store.events({ after: head, limit: PAGE });
      if (to === head) return;
      kept.push(...events);
      head = to;
      if (kept.length > KEPT_EVENTS) {
        const dropped = kept.length - KEPT_EVENTS;
        keptAfter = kept[dropped - 1]?.seq ?? keptAfter;
        kept = kept.slice(dropped);
      }
      for (const wake of [...waiters]) wake();
    }
  };
  const follow = async (): Promise<void> => {
    while (!o.signal.aborted) {
      const news = o.aggregator.nextEvent(POLL_MS, o.signal);
      await readOn().catch((error: unknown) => o.log.warn({ error: String(error) }, "events could not be read"));
      await news;
      await rest(GATHER_MS, o.signal);
    }
  };
  const following = follow();
  return {
    head: () => head,
    read: async (asked) => {
      if (asked.after < keptAfter) return capped(await store.events(asked), head);
      const { after, limit, account } = asked;
      const found: SubmissionEventRecord[] = [];
      for (let at = firstAfter(kept, after); at < kept.length && found.length < limit; at += 1) {
        const event = kept[at];
        if (event !== undefined && (account === undefined || event.submission.account === account)) found.push(event);
      }
      const last = found.at(-1);
      return { events: found, to: found.length === limit && last !== undefined ? last.seq : Math.max(after, head) };
    },
    next: (after, timeoutMs, signal) => {
      if (after < head || timeoutMs <= 0 || signal?.aborted === true || o.signal.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const finish = (): void => {
          clearTimeout(timer);
          signal?.removeEventListener("abort", finish);
          o.signal.removeEventListener("abort", finish);
          waiters.delete(finish);
          resolve();
        };
        const timer = setTimeout(finish, timeoutMs);
        signal?.addEventListener("abort", finish, { once: true });
        o.signal.addEventListener("abort", finish, { once: true });
        waiters.add(finish);
      });
    },
    close: () => following,
  };
}

/** Nobody is told of an event before the feed itself has it: `head` never runs backwards for a follower. */
function capped(page: EventPage, head: number): EventPage {
  if (page.to <= head) return page;
  return { events: page.events.filter((event) => event.seq <= head), to: head };
}

/** Index of the first kept event after a number; they are in order. */
function firstAfter(kept: readonly SubmissionEventRecord[], after: number): number {
  let low = 0;
  let high = kept.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((kept[middle]?.seq ?? 0) <= after) low = middle + 1;
    else high = middle;
  }
  return low;
}

function rest(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", finish);
      resolve();
    };
    const timer = setTimeout(finish, ms);
    signal.addEventListener("abort", finish, { once: true });
  });
}
