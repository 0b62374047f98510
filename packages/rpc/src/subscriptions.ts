/**
 * Owns the face of live subscriptions (`eth_subscribe`, `eth_unsubscribe`) over the chain's feeds. Queues and slow
 * consumers are the transport's: a sink that answers false is forgotten.
 */
import { randomBytes } from "node:crypto";
import { type CallSink, rpcError } from "@cairn/api";
import type { Chain } from "@cairn/chain";
import { bytesToHex, type Hex } from "@cairn/primitives";
import { notification } from "./notification.ts";
import type { SyncStatus } from "./options.ts";
import { headPublisher, pendingPublisher, type Send } from "./subscription-feed.ts";
import type { SubscriptionKind } from "./subscription-kind.ts";
import { checkRoom, createSubscriptionSet, subscribe, unsubscribe } from "./subscription-set.ts";
import { createSyncFeed } from "./sync-feed.ts";

/** The live subscriptions of all connections. */
export interface Subscriptions {
  /** The id of a new subscription. Throws `RpcError` above the caps. */
  subscribe(sink: CallSink, kind: SubscriptionKind): Hex;
  /** Ends one of the connection's own; whether there was one. */
  unsubscribe(sink: CallSink, id: Hex): boolean;
  /** How many there are. */
  readonly size: number;
  close(): void;
}

/** Bounds, and where the state of synchronisation comes from. */
export interface SubscriptionsOptions {
  /** Most subscriptions of one connection, and of all. */
  readonly cap: number;
  readonly totalCap: number;
  readonly syncing: () => SyncStatus | false;
}

/** Most addresses and topics that the log subscriptions of one connection name, and those of all. */
const MAX_ALTERNATIVES = 50_000;
const MAX_ALTERNATIVES_TOTAL = 1_000_000;

/** 16 random bytes as a quantity with 32 digits: a leading zero digit becomes 1. */
function newId(): Hex {
  const hex = bytesToHex(randomBytes(16));
  return hex.startsWith("0x0") ? `0x1${hex.slice(3)}` : hex;
}

/** Subscriptions over the chain's feeds. */
export function createSubscriptions(chain: Chain, { cap, totalCap, syncing }: SubscriptionsOptions): Subscriptions {
  const bounds = { alternatives: MAX_ALTERNATIVES, totalAlternatives: MAX_ALTERNATIVES_TOTAL };
  const set = createSubscriptionSet({ cap, totalCap, ...bounds });
  const detach = new Map<Hex, () => void>();
  const end = (id: Hex, connection: symbol): boolean => {
    detach.get(id)?.();
    detach.delete(id);
    return unsubscribe(set, id, connection);
  };
  const send: Send = ({ id, sink }, payload) => {
    if (set.byId.has(id) && !sink.notify(notification(id, payload))) end(id, sink.id);
  };
  const sync = createSyncFeed({ set, syncing, send });
  const stops = [
    chain.onHead(headPublisher(chain.reads, set, send)),
    chain.onHead(() => sync.check()),
    chain.onPending(pendingPublisher(set, send)),
    () => sync.close(),
  ];
  return {
    subscribe(sink, kind) {
      const refusal = checkRoom(set, sink.id, kind);
      if (refusal?.code === "too-many-filters") throw rpcError(refusal.code, { cap: refusal.cap });
      if (refusal !== undefined) throw rpcError(refusal.code, { most: refusal.most });
      const subscription = { id: newId(), sink, kind };
      subscribe(set, subscription);
      detach.set(
        subscription.id,
        sink.onClose(() => end(subscription.id, sink.id)),
      );
      if (kind.kind === "syncing") sync.welcome(subscription);
      return subscription.id;
    },
    unsubscribe: (sink, id) => set.byId.get(id)?.sink.id === sink.id && end(id, sink.id),
    get size() {
      return set.byId.size;
    },
    close() {
      for (const stop of stops) stop();
      for (const { id, sink } of [...set.byId.values()]) end(id, sink.id);
    },
  };
}
