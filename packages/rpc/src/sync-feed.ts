/**
 * Owns `syncing` subscriptions: the state at their beginning, then every change between catching up and caught up.
 *
 *   caught up   --the node falls behind-->    catching up (`{syncing: true, status}`)
 *   catching up --the node reaches the head--> caught up  (`false`)
 */
import { quantityToHex } from "@cairn/primitives";
import { type Payload, payload } from "./notification.ts";
import type { SyncStatus } from "./options.ts";
import type { Send } from "./subscription-feed.ts";
import { ofKind, type Subscription, type SubscriptionSet } from "./subscription-set.ts";

/** What tells `syncing` subscriptions. */
export interface SyncFeed {
  /** Tells a new subscription the present state. */
  welcome(subscription: Subscription): void;
  /** Looks at the state and tells all when it changed. */
  check(): void;
  close(): void;
}

/** The end of catching up makes no block, so it is looked for while somebody waits. */
const CHECK_INTERVAL_MS = 1_000;

function stateOf(status: SyncStatus | false): Payload {
  if (status === false) return payload("false");
  const { startingBlock, currentBlock, highestBlock } = status;
  return payload(
    JSON.stringify({
      syncing: true,
      status: {
        startingBlock: quantityToHex(startingBlock),
        currentBlock: quantityToHex(currentBlock),
        highestBlock: quantityToHex(highestBlock),
      },
    }),
  );
}

/** The feed of a set's `syncing` subscriptions. */
export function createSyncFeed(o: {
  readonly set: SubscriptionSet;
  readonly syncing: () => SyncStatus | false;
  readonly send: Send;
}): SyncFeed {
  const { set, syncing, send } = o;
  let wasSyncing = syncing() !== false;
  const check = (): void => {
    const status = syncing();
    if ((status !== false) === wasSyncing) return;
    wasSyncing = status !== false;
    const state = stateOf(status);
    for (const subscription of ofKind(set, "syncing")) send(subscription, state);
  };
  const timer = setInterval(check, CHECK_INTERVAL_MS);
  timer.unref();
  return {
    welcome(subscription) {
      check();
      send(subscription, stateOf(syncing()));
    },
    check,
    close: () => clearInterval(timer),
  };
}
