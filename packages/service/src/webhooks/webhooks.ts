/**
 * The webhooks of a service: following the events, sending, forgetting what is old. Owns the order of start and stop of
 * its parts; the routes work on its stores.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Database, Log } from "@cairn/aggregator";
import type { GroupCommit } from "../delivery/group-commit.ts";
import type { EventFeed } from "../events/event-feed.ts";
import type { SendAttempt } from "./attempt.ts";
import { createDeliveryStore, type DeliveryStore } from "./delivery-store.ts";
import type { DeliveryPolicy } from "./endpoint-life.ts";
import { createFanOut } from "./fan-out.ts";
import { type AttemptCounts, createOutcomeRecorder } from "./outcome-recorder.ts";
import type { ReceiverRule } from "./receiver-address.ts";
import { createSender } from "./sender.ts";
import { createWebhookStore, type Webhook, type WebhookStore } from "./webhook-store.ts";

/** What webhooks are made of. */
export interface WebhooksOptions {
  readonly database: Database;
  readonly commits: GroupCommit;
  readonly feed: EventFeed;
  readonly environment: string;
  readonly rule: ReceiverRule;
  readonly send: SendAttempt;
  readonly policy: DeliveryPolicy;
  readonly clock: () => number;
  readonly random: () => number;
  readonly signal: AbortSignal;
  readonly log: Log;
}

/** What an operator watches. */
export interface WebhookFigures {
  /** Webhooks by state. */
  readonly endpoints: Readonly<Record<Webhook["state"], number>>;
  /** Since the start of the process. */
  readonly attempts: AttemptCounts;
  /** Deliveries that wait. */
  readonly waiting: number;
  /** Deliveries that were given up. */
  readonly dead: number;
}

/** Running webhooks. */
export interface Webhooks {
  readonly database: Database;
  readonly store: WebhookStore;
  readonly deliveries: DeliveryStore;
  readonly rule: ReceiverRule;
  /** Something may be due at this webhook. */
  wake(webhook: string): void;
  /** Attempts under way. */
  running(): number;
  figures(): WebhookFigures;
  close(): Promise<void>;
}

const DAY_MS = 24 * 3_600_000;
const KEEP_DELIVERED_MS = 7 * DAY_MS;
const KEEP_DEAD_MS = 30 * DAY_MS;
const PRUNE_MS = 3_600_000;
const POLL_MS = 1_000;
const FAILED_MS = 1_000;
/** Events that come together get their deliveries in one transaction. */
const GATHER_MS = 20;

/** Starts following and sending. */
export function startWebhooks(o: WebhooksOptions): Webhooks {
  const store = createWebhookStore(o.database);
  const deliveries = createDeliveryStore(o.database);
  const { record, counts } = createOutcomeRecorder({ ...o, webhooks: store, deliveries });
  const sender = createSender({ ...o, webhooks: store, deliveries, record });
  const fanOut = createFanOut({ ...o, webhooks: store, deliveries });
  const follow = async (): Promise<void> => {
    while (!o.signal.aborted) {
      const head = o.feed.head();
      const done = await fanOut.step().catch((error: unknown) => {
        o.log.warn({ error: String(error) }, "events could not be given to webhooks");
        return undefined;
      });
      for (const webhook of done?.fed ?? []) sender.wake(webhook);
      if (done?.more === true) continue;
      if (done !== undefined) await o.feed.next(head, POLL_MS, o.signal);
      await delay(done === undefined ? FAILED_MS : GATHER_MS, undefined, { signal: o.signal }).catch(() => {});
    }
  };
  const prune = (): void => {
    const nowMs = o.clock();
    try {
      deliveries.prune(nowMs - KEEP_DELIVERED_MS, nowMs - KEEP_DEAD_MS);
    } catch (error) {
      o.log.warn({ error: String(error) }, "old deliveries could not be removed");
    }
  };
  prune();
  const pruning = setInterval(prune, PRUNE_MS).unref();
  for (const { id } of store.enabled()) sender.wake(id);
  const following = follow();
  return {
    ...{ database: o.database, store, deliveries, rule: o.rule },
    wake: sender.wake,
    running: sender.running,
    figures: () => ({ endpoints: store.countByState(), attempts: counts(), ...deliveries.totals() }),
    close: async () => {
      clearInterval(pruning);
      await following;
      await sender.close();
    },
  };
}
