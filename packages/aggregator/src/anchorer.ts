/**
 * The anchor worker: one Bitcoin transaction per period over the commitments settled since, written before it is
 * broadcast, watched until it is buried; a reorg takes it back. At most one anchor is unconfirmed. Knows Bitcoin only
 * through its port.
 */
import { type AnchorEvent, anchorObserved } from "./anchor-life.ts";
import { newAnchor } from "./anchor-making.ts";
import { anchorParts, createBlockWatch } from "./anchor-watch.ts";
import type { AnchorPort, Clock, Log } from "./ports.ts";
import type { Anchor, Store } from "./store.ts";

/** Pace and depth of anchoring. */
export interface AnchorerPolicy {
  readonly anchorPeriodMs: number;
  /** Confirmations at which an anchor is final; its own block counts as one. */
  readonly finalDepth: number;
  readonly pollMs: number;
  /** An unconfirmed anchor is broadcast again this often. */
  readonly rebroadcastMs: number;
}

/** What the worker is made of. */
export interface AnchorerOptions {
  readonly store: Store;
  readonly port: AnchorPort;
  readonly policy: AnchorerPolicy;
  readonly clock: Clock;
  readonly log: Log;
  readonly onMoved: (sequence: number) => void;
}

/** The store anchors on another Bitcoin network than the node answers for. */
export class NetworkMismatchError extends Error {
  override readonly name = "NetworkMismatchError";
}

const IDLE_MS = 1_000;

/** Makes the worker's step. Anchors unconfirmed when this process started are broadcast at the first step. */
export function anchorerStep(o: AnchorerOptions): () => Promise<{ readonly restMs: number }> {
  const broadcastAtMs = new Map<number, number>();
  const watch = createBlockWatch(o.port);
  let prepared = false;
  return async () => {
    if (!prepared) await prepareNetwork(o);
    prepared = true;
    const tip = await o.port.tip();
    for (const anchor of await o.store.openAnchors()) {
      const height = await watch.find(anchor, tip);
      const event = anchorObserved(anchor.state, { height, tip }, o.policy.finalDepth);
      if (event !== undefined) await apply(o, anchor, event, height);
      if (event === "reorged") broadcastAtMs.delete(anchor.sequence);
    }
    const open = await o.store.openAnchors();
    const unconfirmed = open.filter((anchor) => anchor.state === "intent" || anchor.state === "broadcast");
    for (const anchor of unconfirmed) await broadcast(o, anchor, broadcastAtMs);
    const made = unconfirmed.length === 0 ? await makeAnchor(o, tip) : undefined;
    if (made !== undefined) await broadcast(o, made, broadcastAtMs);
    return { restMs: open.length > 0 || made !== undefined ? o.policy.pollMs : IDLE_MS };
  };
}

async function prepareNetwork({ store, port }: AnchorerOptions): Promise<void> {
  const known = await store.setting("anchor-network");
  if (known !== undefined && known !== port.network) {
    throw new NetworkMismatchError(`the store anchors on ${known}, the Bitcoin node is on ${port.network}`);
  }
  await store.set("anchor-network", port.network);
}

async function apply(
  o: AnchorerOptions,
  anchor: Anchor,
  event: AnchorEvent,
  height: number | undefined,
): Promise<void> {
  const { sequence, txid } = anchor;
  if (event === "mined" && height !== undefined) {
    const found = await anchorParts(o.store, o.port, anchor, height);
    if (found === undefined) return;
    await o.store.anchorMined(sequence, found.block, found.parts, o.clock());
    o.log.info({ anchor: sequence, txid, height }, "anchor mined");
  } else if (event === "reorged") {
    await o.store.anchorReorged(sequence, o.clock());
    o.log.warn({ anchor: sequence, txid }, "the anchor's block left the best chain");
  } else if (event === "buried") {
    await o.store.anchorFinal(sequence, o.clock());
    o.log.info({ anchor: sequence, txid }, "anchor final");
  }
  o.onMoved(sequence);
}

async function broadcast(o: AnchorerOptions, anchor: Anchor, broadcastAtMs: Map<number, number>): Promise<void> {
  const last = broadcastAtMs.get(anchor.sequence);
  if (anchor.state !== "intent" && last !== undefined && o.clock() - last < o.policy.rebroadcastMs) return;
  const outcome = await o.port.broadcast(anchor.rawTx);
  broadcastAtMs.set(anchor.sequence, o.clock());
  if (outcome.ok) return o.store.anchorAccepted(anchor.sequence);
  const fields = { anchor: anchor.sequence, txid: anchor.txid, code: outcome.code, message: outcome.message };
  o.log.error(fields, "the Bitcoin node refused an anchor, it will be sent again");
}

async function makeAnchor(o: AnchorerOptions, tip: number): Promise<Anchor | undefined> {
  const last = await o.store.lastAnchor();
  if (last !== undefined && o.clock() < last.createdAtMs + o.policy.anchorPeriodMs) return undefined;
  const made = await newAnchor({ store: o.store, port: o.port, last, tip, nowMs: o.clock() });
  if (made === "unfunded") {
    o.log.error({ network: o.port.network }, "the anchor wallet has no confirmed coin");
    return undefined;
  }
  if (made !== undefined) {
    o.log.info({ anchor: made.sequence, txid: made.txid, batches: made.size }, "anchor made");
    o.onMoved(made.sequence);
  }
  return made;
}
