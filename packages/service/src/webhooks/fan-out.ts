/**
 * From durable events to deliveries: each webhook has a cursor over the events; deliveries and cursor move in one
 * transaction, so that a crash at any instant neither loses an event nor makes a delivery twice. A webhook whose
 * deliveries pile up waits with its cursor until there is room. Does not send.
 */
import type { Database, SubmissionEventRecord } from "@cairn/aggregator";
import type { EventFeed } from "../events/event-feed.ts";
import { eventMessage } from "../events/event-message.ts";
import type { DeliveryStore } from "./delivery-store.ts";
import type { Webhook, WebhookStore } from "./webhook-store.ts";

/** What following the events is made of. */
export interface FanOutOptions {
  readonly database: Database;
  readonly feed: EventFeed;
  readonly webhooks: WebhookStore;
  readonly deliveries: DeliveryStore;
  readonly environment: string;
  readonly clock: () => number;
}

/** The follower. */
export interface FanOut {
  /**
   * One page for each webhook that is behind and has room; names those that got deliveries, and whether more may come.
   */
  step(): Promise<{ readonly fed: readonly string[]; readonly more: boolean }>;
}

const PAGE = 500;
/** Deliveries that wait at one webhook before its cursor stops. */
const MAX_PENDING = 5_000;
/** A cursor that passes only events of no interest is written this seldom. */
const CURSOR_STRIDE = 10_000;

/** Makes the follower. */
export function createFanOut(o: FanOutOptions): FanOut {
  /** Further than what is written, while nothing of interest came. */
  const passed = new Map<string, { readonly cursor: number; readonly to: number }>();
  const feedOne = async (webhook: Webhook): Promise<{ fed: boolean; more: boolean }> => {
    const known = passed.get(webhook.id);
    const after = known?.cursor === webhook.cursor ? known.to : webhook.cursor;
    if (after >= o.feed.head()) return { fed: false, more: false };
    const page = await o.feed.read({ after, limit: PAGE, account: webhook.account });
    const wanted = page.events.filter((event) => isWanted(event, webhook));
    if (wanted.length === 0 && page.to - webhook.cursor < CURSOR_STRIDE) {
      passed.set(webhook.id, { cursor: webhook.cursor, to: page.to });
      return { fed: false, more: page.to < o.feed.head() };
    }
    const room = Math.max(0, MAX_PENDING - o.deliveries.count(webhook.id, "pending"));
    const taken = wanted.slice(0, room);
    const to = taken.length === wanted.length ? page.to : (taken.at(-1)?.seq ?? after);
    if (to === after) return { fed: false, more: false };
    const isStored = store(o, webhook, taken, to);
    return { fed: isStored && taken.length > 0, more: !isStored || (to < o.feed.head() && to === page.to) };
  };
  return {
    step: async () => {
      const fed: string[] = [];
      let more = false;
      const enabled = o.webhooks.enabled();
      for (const id of passed.keys()) if (!enabled.some((webhook) => webhook.id === id)) passed.delete(id);
      for (const webhook of enabled) {
        const done = await feedOne(webhook);
        if (done.fed) fed.push(webhook.id);
        more ||= done.more;
      }
      return { fed, more };
    },
  };
}

/** False when the webhook's cursor was moved meanwhile: the page is read again from there. */
function store(o: FanOutOptions, read: Webhook, events: readonly SubmissionEventRecord[], to: number): boolean {
  return o.database.transaction(() => {
    const now = o.webhooks.find(read.id);
    if (now?.cursor !== read.cursor || now.state !== "enabled") return false;
    for (const event of events) {
      const message = eventMessage(o.environment, event);
      const { id: submission } = event.submission;
      const delivery = { webhook: read.id, event: event.seq, type: message.type, submission };
      o.deliveries.insert({ ...delivery, body: JSON.stringify(message) }, o.clock());
    }
    o.webhooks.setCursor(read.id, to);
    return true;
  });
}

function isWanted(event: SubmissionEventRecord, { types, chain }: Webhook): boolean {
  if (types.length > 0 && !types.some((type) => type === `submission.${event.state}`)) return false;
  return chain === undefined || chain.key === event.submission.chainKey;
}
