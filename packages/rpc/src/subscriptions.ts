/**
 * Owns live subscriptions: which connection wants what, and sending it. Queues and slow consumers are the transport's:
 * a sink that answers false is forgotten.
 */
import { randomBytes } from "node:crypto";
import { type CallSink, rpcError } from "@cairn/api";
import type { Chain, HeadEvent, PendingEvent } from "@cairn/chain";
import { bytesToHex, type Hex } from "@cairn/primitives";
import { pooledTransaction } from "./pooled-json.ts";
import { nullPowFields } from "./pow-fields.ts";
import type { SubscriptionKind } from "./subscription-kind.ts";

/** The live subscriptions of all connections. */
export interface Subscriptions {
  /** The id of a new subscription. Throws `RpcError` above the connection's cap. */
  subscribe(sink: CallSink, kind: SubscriptionKind): Hex;
  /** Ends one of the connection's own; whether there was one. */
  unsubscribe(sink: CallSink, id: Hex): boolean;
  /** How many there are. */
  readonly size: number;
  close(): void;
}

interface Subscription {
  readonly id: Hex;
  readonly sink: CallSink;
  readonly kind: SubscriptionKind;
  /** Forgets the close listener. */
  readonly detach: () => void;
}

/** 16 random bytes as a quantity with 32 digits: a leading zero digit becomes 1. */
function newId(): Hex {
  const hex = bytesToHex(randomBytes(16));
  return hex.startsWith("0x0") ? `0x1${hex.slice(3)}` : hex;
}

function notification(id: Hex, resultJson: string): string {
  return `{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"${id}","result":${resultJson}}}`;
}

type Send = (subscription: Subscription, resultJson: string) => void;

function publishHead(all: Iterable<Subscription>, event: HeadEvent, blockJson: string | null, send: Send): void {
  for (const subscription of all) {
    const { kind } = subscription;
    if (kind.kind === "newHeads") {
      const json = kind.includeTransactions && blockJson !== null ? blockJson : event.headerJson;
      send(subscription, kind.nullPowFields ? nullPowFields(json) : json);
    } else if (kind.kind === "logs") {
      for (const log of event.logs()) if (kind.matches(log)) send(subscription, log.json);
    }
  }
}

function publishPending(all: Iterable<Subscription>, event: PendingEvent, send: Send): void {
  let full: string | undefined;
  for (const subscription of all) {
    if (subscription.kind.kind !== "newPendingTransactions") continue;
    if (subscription.kind.full) full ??= JSON.stringify(pooledTransaction(event.tx));
    send(subscription, subscription.kind.full && full !== undefined ? full : `"${event.hash}"`);
  }
}

const wantsBlock = ({ kind }: Subscription): boolean => kind.kind === "newHeads" && kind.includeTransactions;

/** Most addresses and topics that the log subscriptions of one connection name, and those of all. */
const MAX_ALTERNATIVES = 50_000;
const MAX_ALTERNATIVES_TOTAL = 1_000_000;

const alternativesOf = (kind: SubscriptionKind): number => (kind.kind === "logs" ? kind.alternatives : 0);

/** What one connection holds, or all of them. */
interface Load {
  count: number;
  alternatives: number;
}

/** All subscriptions by id, and what each connection holds. */
interface Registry {
  readonly byId: Map<Hex, Subscription>;
  readonly loads: Map<symbol, Load>;
  readonly total: Load;
}

function bear(load: Load, kind: SubscriptionKind, sign: 1 | -1): void {
  load.count += sign;
  load.alternatives += sign * alternativesOf(kind);
}

function checkRoom(load: Load, kind: SubscriptionKind, cap: number, most: number): void {
  if (load.count >= cap) throw rpcError("too-many-filters", { cap });
  if (load.alternatives + alternativesOf(kind) > most) throw rpcError("filters-too-large", { most });
}

function remove({ byId, loads, total }: Registry, { id, sink, kind, detach }: Subscription): void {
  if (!byId.delete(id)) return;
  detach();
  bear(total, kind, -1);
  const load = loads.get(sink.id);
  if (load === undefined) return;
  bear(load, kind, -1);
  if (load.count === 0) loads.delete(sink.id);
}

function add(registry: Registry, sink: CallSink, kind: SubscriptionKind): Hex {
  const { byId, loads, total } = registry;
  const id = newId();
  let forget = (): void => undefined;
  const subscription: Subscription = { id, sink, kind, detach: () => forget() };
  byId.set(id, subscription);
  const load = loads.get(sink.id) ?? { count: 0, alternatives: 0 };
  loads.set(sink.id, load);
  for (const each of [load, total]) bear(each, kind, 1);
  forget = sink.onClose(() => remove(registry, subscription));
  return id;
}

/** Publishes heads in their order, also when blocks with transactions have to be read first. */
function headPublisher(chain: Chain, registry: Registry, send: Send): (event: HeadEvent) => void {
  let previous: Promise<void> = Promise.resolve();
  let queued = 0;
  return (event) => {
    const audience = [...registry.byId.values()];
    if (queued === 0 && !audience.some(wantsBlock)) {
      publishHead(audience, event, null, send);
      return;
    }
    queued++;
    previous = previous
      .then(() => chain.reads.blockJson(event.head.hash, true))
      .then((json) => publishHead(audience, event, json, send))
      // The database closing under a read ends the feed with it.
      .catch(() => undefined)
      .finally(() => queued--);
  };
}

/** Subscriptions over the chain's feeds, at most `cap` per connection and `totalCap` in all. */
export function createSubscriptions(
  chain: Chain,
  { cap, totalCap }: { readonly cap: number; readonly totalCap: number },
): Subscriptions {
  const registry: Registry = { byId: new Map(), loads: new Map(), total: { count: 0, alternatives: 0 } };
  const { byId, loads, total } = registry;
  const send: Send = (subscription, resultJson) => {
    const isLive = byId.has(subscription.id);
    if (isLive && !subscription.sink.notify(notification(subscription.id, resultJson))) remove(registry, subscription);
  };
  const stops = [
    chain.onHead(headPublisher(chain, registry, send)),
    chain.onPending((event) => publishPending(byId.values(), event, send)),
  ];
  return {
    subscribe(sink, kind) {
      checkRoom(loads.get(sink.id) ?? { count: 0, alternatives: 0 }, kind, cap, MAX_ALTERNATIVES);
      checkRoom(total, kind, totalCap, MAX_ALTERNATIVES_TOTAL);
      return add(registry, sink, kind);
    },
    unsubscribe(sink, id) {
      const subscription = byId.get(id);
      if (subscription === undefined || subscription.sink.id !== sink.id) return false;
      remove(registry, subscription);
      return true;
    },
    get size() {
      return byId.size;
    },
    close() {
      for (const stop of stops) stop();
      for (const subscription of [...byId.values()]) remove(registry, subscription);
    },
  };
}
