/** `subscribe`, `unsubscribe` and `unsubscribe_all` of one WebSocket connection. Fails with CometBFT's texts. */
import { BUS_LIMITS, CANCEL_REASONS, type EventBus } from "../events/event-bus.ts";
import { escapeHtml } from "../events/published.ts";
import { parseQuery, type Query, QueryError } from "../events/query.ts";
import type { ArgumentSpec } from "./arguments.ts";
import { RPC_ERRORS, replyToText } from "./envelope.ts";
import { RouteFailure } from "./results.ts";

/** Longest query in bytes. */
export const MAX_QUERY_BYTES = 512;

/** Takes frames, whose text is made when it is sent; `sent` is called when one has left. */
export type Push = (text: () => string, sent: () => void) => void;

/** What the methods work on. */
export interface SubscribeContext {
  readonly events: EventBus;
  /** Address and port: CometBFT's identity of a subscriber. */
  readonly client: string;
  readonly push: Push;
}

/** One of the three methods: arguments and what it does. `id` is the request's, as JSON text. */
export interface SubscribeMethod {
  readonly args: readonly ArgumentSpec[];
  readonly call: (context: SubscribeContext, id: string, query: string) => void;
}

const LIMIT_TEXTS = {
  "too-many-clients": `max_subscription_clients ${BUS_LIMITS.clients} reached`,
  "too-many-subscriptions": `max_subscriptions_per_client ${BUS_LIMITS.subscriptionsPerClient} reached`,
  "already-subscribed": "already subscribed",
};
const QUERY: ArgumentSpec = { name: "query", type: "string" };

function parsed(text: string): Query {
  try {
    return parseQuery(text);
  } catch (error) {
    if (error instanceof QueryError) throw new RouteFailure(`failed to parse query: ${error.message}`);
    throw error;
  }
}

/** Throws RouteFailure when the client may not have one more subscription. */
export function requireRoom(events: EventBus, client: string): void {
  const full = events.room(client);
  if (full !== undefined) throw new RouteFailure(LIMIT_TEXTS[full]);
}

function subscribe({ events, client, push }: SubscribeContext, id: string, text: string): void {
  requireRoom(events, client);
  if (Buffer.byteLength(text) > MAX_QUERY_BYTES) throw new RouteFailure("maximum query length exceeded");
  const head = `{"jsonrpc":"2.0","id":${id},"result":{"query":${escapeHtml(JSON.stringify(text))},`;
  const outcome = events.subscribe(client, parsed(text), {
    deliver: (event, done) => push(() => `${head}${event.body()}}}`, done),
    cancelled: (reason) => {
      const data = `subscription was canceled (reason: ${CANCEL_REASONS[reason]})`;
      push(
        () => replyToText({ id, error: { ...RPC_ERRORS.server, data } }),
        () => {},
      );
    },
  });
  if (!outcome.ok) throw new RouteFailure(LIMIT_TEXTS[outcome.code]);
}

function unsubscribe({ events, client }: SubscribeContext, _id: string, text: string): void {
  if (!events.unsubscribe(client, parsed(text))) throw new RouteFailure("subscription not found");
}

function unsubscribeAll({ events, client }: SubscribeContext): void {
  if (!events.unsubscribeAll(client)) throw new RouteFailure("subscription not found");
}

/** The methods by name. */
export const SUBSCRIBE_METHODS: Readonly<Record<string, SubscribeMethod>> = {
  subscribe: { args: [QUERY], call: subscribe },
  unsubscribe: { args: [QUERY], call: unsubscribe },
  unsubscribe_all: { args: [], call: unsubscribeAll },
};
