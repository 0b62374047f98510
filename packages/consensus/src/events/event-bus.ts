/**
 * Owns who is subscribed and who gets which event. Publishing only queues: matching runs in slices of its own turns,
 * so that a block with many transactions does not hold up the next one. Writing to sockets is the subscriber's.
 *
 *   subscribed --event, room--> delivered
 *   subscribed --event of a later publication, more than `capacity` undelivered--> cancelled(out of capacity)
 *   subscribed --unsubscribe, client gone--> gone
 *   subscribed --close--> cancelled(exited)
 */
import type { Published } from "./published.ts";
import type { Query } from "./query.ts";
import { createSubscriptionTable } from "./subscription-table.ts";

/** Why a subscription ended without its client's wish; the text stands in the push. */
export const CANCEL_REASONS = {
  capacity: "internal subscription event buffer is out of capacity",
  exited: "CometBFT exited",
} as const;

/** What a subscriber is told. */
export interface Subscriber {
  /** One matching event; `done` is to be called when it left for the client. */
  deliver(event: Published, done: () => void): void;
  cancelled(reason: keyof typeof CANCEL_REASONS): void;
}

/** Answers of {@link EventBus.subscribe}. */
export type SubscribeOutcome =
  | { readonly ok: true; readonly unsubscribe: () => void }
  | { readonly ok: false; readonly code: "already-subscribed" | "too-many-clients" | "too-many-subscriptions" };

/** Bounds of a bus. */
export interface BusLimits {
  readonly clients: number;
  readonly subscriptionsPerClient: number;
  /** Undelivered events of earlier publications that a subscription may have. */
  readonly capacity: number;
}

/** CometBFT's defaults. */
export const BUS_LIMITS: BusLimits = { clients: 100, subscriptionsPerClient: 5, capacity: 200 };

/** The bus. */
export interface EventBus {
  /** Queues events that belong together, such as those of one block. */
  publish(events: () => readonly Published[]): void;
  /** The limits alone, which CometBFT checks before it reads a query. */
  room(client: string): "too-many-clients" | "too-many-subscriptions" | undefined;
  subscribe(client: string, query: Query, subscriber: Subscriber): SubscribeOutcome;
  /** False when there was no such subscription. */
  unsubscribe(client: string, query: Query): boolean;
  /** False when the client had none. */
  unsubscribeAll(client: string): boolean;
  /** Cancels every subscription; nothing is published any more. */
  close(): void;
}

interface Subscription {
  readonly client: string;
  readonly query: Query;
  readonly subscriber: Subscriber;
  pending: number;
  publication: number;
}

/** Events matched in one turn. */
const SLICE = 256;
/** Publications that may wait; what is beyond is matched at once. */
const MAX_BACKLOG = 256;

/** Matches queued publications in order, a slice per turn. */
function createPublisher(deliver: (event: Published, publication: number) => void) {
  const queue: { readonly events: readonly Published[]; readonly publication: number; at: number }[] = [];
  let count = 0;
  let isRunning = false;
  const slice = (limit: number): void => {
    for (let left = limit; left > 0; ) {
      const head = queue[0];
      if (head === undefined) return;
      const event = head.events[head.at];
      if (event === undefined) queue.shift();
      else {
        head.at++;
        left--;
        deliver(event, head.publication);
      }
    }
  };
  const turn = (): void => {
    slice(SLICE);
    isRunning = queue.length > 0;
    if (isRunning) setImmediate(turn);
  };
  return {
    push: (events: readonly Published[]): void => {
      queue.push({ events, publication: ++count, at: 0 });
      if (queue.length > MAX_BACKLOG) slice(Number.POSITIVE_INFINITY);
      if (isRunning) return;
      isRunning = true;
      setImmediate(turn);
    },
    clear: () => queue.splice(0),
  };
}

/** A bus without subscriptions. */
export function createEventBus(limits: BusLimits = BUS_LIMITS): EventBus {
  const clients = new Map<string, Map<string, Subscription>>();
  const table = createSubscriptionTable<Subscription>();
  let isClosed = false;

  const drop = (subscription: Subscription): void => {
    table.remove(subscription);
    const own = clients.get(subscription.client);
    own?.delete(subscription.query.text);
    if (own?.size === 0) clients.delete(subscription.client);
  };
  const deliver = (event: Published, publication: number): void => {
    for (const subscription of table.concerned(event)) {
      const isLater = subscription.publication !== publication;
      subscription.publication = publication;
      if (isLater && subscription.pending > limits.capacity) {
        drop(subscription);
        subscription.subscriber.cancelled("capacity");
        continue;
      }
      subscription.pending++;
      subscription.subscriber.deliver(event, () => {
        subscription.pending--;
      });
    }
  };
  const publisher = createPublisher(deliver);
  const room: EventBus["room"] = (client) => {
    if (clients.size >= limits.clients) return "too-many-clients";
    return (clients.get(client)?.size ?? 0) >= limits.subscriptionsPerClient ? "too-many-subscriptions" : undefined;
  };
  return {
    publish: (events) => {
      if (clients.size > 0 && !isClosed) publisher.push(events());
    },
    room,
    subscribe: (client, query, subscriber) => {
      const full = room(client);
      if (full !== undefined) return { ok: false, code: full };
      const own = clients.get(client) ?? new Map<string, Subscription>();
      if (own.has(query.text)) return { ok: false, code: "already-subscribed" };
      const subscription = { client, query, subscriber, pending: 0, publication: 0 };
      clients.set(client, own.set(query.text, subscription));
      table.add(subscription);
      return { ok: true, unsubscribe: () => drop(subscription) };
    },
    unsubscribe: (client, query) => {
      const found = clients.get(client)?.get(query.text);
      if (found !== undefined) drop(found);
      return found !== undefined;
    },
    unsubscribeAll: (client) => {
      const own = [...(clients.get(client)?.values() ?? [])];
      for (const subscription of own) drop(subscription);
      return own.length > 0;
    },
    close: () => {
      isClosed = true;
      publisher.clear();
      const all = [...clients.values()].flatMap((own) => [...own.values()]);
      for (const subscription of all) {
        drop(subscription);
        subscription.subscriber.cancelled("exited");
      }
    },
  };
}
