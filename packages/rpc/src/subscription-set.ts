/**
 * Owns which subscriptions there are, as steps on a plain value: caps per connection and in all, look-up by kind. Ids
 * are arguments; what is sent to whom is `subscription-feed.ts`'s.
 *
 *   (none)     --subscribe below the caps-->                subscribed (the id is answered before any notification)
 *   subscribed --an event of its kind-->                    subscribed (a notification with its id)
 *   subscribed --unsubscribe by its own connection-->       (none)
 *   subscribed --connection closed, or cut as too slow-->   (none)
 */
import type { CallSink } from "@cairn/api";
import type { Hex } from "@cairn/primitives";
import type { SubscriptionKind } from "./subscription-kind.ts";

/** One subscription of a connection. */
export interface Subscription<K extends SubscriptionKind = SubscriptionKind> {
  readonly id: Hex;
  readonly sink: CallSink;
  readonly kind: K;
}

/** Bounds of one connection, and of all: subscriptions, and the addresses and topics their log filters name. */
export interface SubscriptionLimits {
  readonly cap: number;
  readonly totalCap: number;
  readonly alternatives: number;
  readonly totalAlternatives: number;
}

interface Load {
  count: number;
  alternatives: number;
}

/** All subscriptions. A value owned by its caller and changed in place by the steps below. */
export interface SubscriptionSet {
  readonly limits: SubscriptionLimits;
  readonly byId: Map<Hex, Subscription>;
  readonly byKind: Map<SubscriptionKind["kind"], Set<Subscription>>;
  readonly loads: Map<symbol, Load>;
  readonly total: Load;
}

/** Why there is no room: the cap that is reached. */
export type NoRoom =
  | { readonly code: "too-many-filters"; readonly cap: number }
  | { readonly code: "filters-too-large"; readonly most: number };

/** No subscriptions. */
export function createSubscriptionSet(limits: SubscriptionLimits): SubscriptionSet {
  const total = { count: 0, alternatives: 0 };
  return { limits, byId: new Map(), byKind: new Map(), loads: new Map(), total };
}

/** Why a connection may not subscribe to this kind now; `undefined` when it may. */
export function checkRoom(set: SubscriptionSet, connection: symbol, kind: SubscriptionKind): NoRoom | undefined {
  const { cap, totalCap, alternatives, totalAlternatives } = set.limits;
  const load = set.loads.get(connection) ?? { count: 0, alternatives: 0 };
  return roomIn(load, kind, cap, alternatives) ?? roomIn(set.total, kind, totalCap, totalAlternatives);
}

function roomIn(load: Load, kind: SubscriptionKind, cap: number, most: number): NoRoom | undefined {
  if (load.count >= cap) return { code: "too-many-filters", cap };
  if (load.alternatives + alternativesOf(kind) > most) return { code: "filters-too-large", most };
  return undefined;
}

/** Adds a subscription that has room. */
export function subscribe(set: SubscriptionSet, subscription: Subscription): void {
  const { id, sink, kind } = subscription;
  set.byId.set(id, subscription);
  const alike = set.byKind.get(kind.kind) ?? new Set();
  set.byKind.set(kind.kind, alike.add(subscription));
  const load = set.loads.get(sink.id) ?? { count: 0, alternatives: 0 };
  set.loads.set(sink.id, load);
  for (const each of [load, set.total]) bear(each, kind, 1);
}

/** Ends a subscription; whether it was there, and of this connection. */
export function unsubscribe(set: SubscriptionSet, id: Hex, connection: symbol): boolean {
  const subscription = set.byId.get(id);
  if (subscription === undefined || subscription.sink.id !== connection) return false;
  set.byId.delete(id);
  set.byKind.get(subscription.kind.kind)?.delete(subscription);
  bear(set.total, subscription.kind, -1);
  const load = set.loads.get(connection);
  if (load === undefined) return true;
  bear(load, subscription.kind, -1);
  if (load.count === 0) set.loads.delete(connection);
  return true;
}

/** The subscriptions of one kind, as they are now. */
export function ofKind<K extends SubscriptionKind["kind"]>(
  set: SubscriptionSet,
  kind: K,
): readonly Subscription<Extract<SubscriptionKind, { readonly kind: K }>>[] {
  return [...liveOfKind(set, kind)];
}

/** The subscriptions of one kind; those that come and go during an iteration do so in it too. */
export function liveOfKind<K extends SubscriptionKind["kind"]>(
  set: SubscriptionSet,
  kind: K,
): Iterable<Subscription<Extract<SubscriptionKind, { readonly kind: K }>>> {
  return (set.byKind.get(kind) ?? []) as Iterable<Subscription<Extract<SubscriptionKind, { readonly kind: K }>>>;
}

const alternativesOf = (kind: SubscriptionKind): number => (kind.kind === "logs" ? kind.alternatives : 0);

function bear(load: Load, kind: SubscriptionKind, sign: 1 | -1): void {
  load.count += sign;
  load.alternatives += sign * alternativesOf(kind);
}
