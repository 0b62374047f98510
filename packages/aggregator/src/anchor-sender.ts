/**
 * Sending anchors' stored bytes to the Bitcoin node, again and again until they are in a block. An anchor spends its
 * predecessor's change: a node that lost the predecessor gets its bytes first.
 */

import type { Anchor } from "./anchor-store.ts";
import type { AnchorPort, BroadcastOutcome, Clock, Log } from "./ports.ts";
import type { Store } from "./store.ts";

/** Sends stored anchors. */
export interface AnchorSender {
  /** Sends; undefined: that was done less than `rebroadcastMs` ago. */
  send(anchor: Anchor): Promise<BroadcastOutcome | undefined>;
  /** Lets the next `send` of this anchor and of all later ones happen at once. */
  expedite(sequence: number): void;
}

/** Earlier anchors that are sent again for one that lacks its input. */
const MAX_PREDECESSORS = 64;

interface SenderOptions {
  readonly store: Store;
  readonly port: AnchorPort;
  readonly rebroadcastMs: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** Makes a sender that has sent nothing yet. */
export function createAnchorSender(o: SenderOptions): AnchorSender {
  const sentAtMs = new Map<number, number>();
  /** The same refusal is told once. */
  const refusals = new Map<number, string>();
  return {
    send: async (anchor) => {
      const last = sentAtMs.get(anchor.sequence);
      if (last !== undefined && o.clock() - last < o.rebroadcastMs) return undefined;
      const outcome = await sendAfterPredecessors(o, anchor);
      sentAtMs.set(anchor.sequence, o.clock());
      if (outcome.ok) {
        refusals.delete(anchor.sequence);
        await o.store.anchorAccepted(anchor.sequence);
        return outcome;
      }
      const fields = { anchor: anchor.sequence, txid: anchor.txid, code: outcome.code, message: outcome.message };
      const refusal = `${anchor.txid} ${outcome.message}`;
      const level = refusals.get(anchor.sequence) === refusal ? "debug" : "error";
      o.log[level](fields, "the Bitcoin node refused an anchor, it will be sent again");
      refusals.set(anchor.sequence, refusal);
      return outcome;
    },
    expedite: (sequence) => {
      for (const known of sentAtMs.keys()) if (known >= sequence) sentAtMs.delete(known);
    },
  };
}

async function sendAfterPredecessors(o: SenderOptions, anchor: Anchor): Promise<BroadcastOutcome> {
  const outcome = await o.port.broadcast(anchor.rawTx);
  if (outcome.ok || outcome.code !== "missing-inputs") return outcome;
  const lacking = await lackingPredecessors(o, anchor.sequence);
  if (lacking === undefined) return outcome;
  for (const { rawTx } of lacking) await o.port.broadcast(rawTx);
  o.log.warn({ anchor: anchor.sequence, sent: lacking.length + 1 }, "earlier anchors were sent to the node again");
  return o.port.broadcast(anchor.rawTx);
}

/** Sends earlier anchors, newest first, down to one the node takes or has; answers the others in order. */
async function lackingPredecessors(o: SenderOptions, sequence: number): Promise<readonly Anchor[] | undefined> {
  const lacking: Anchor[] = [];
  for (let earlier = sequence - 1; earlier >= 1 && lacking.length < MAX_PREDECESSORS; earlier -= 1) {
    const anchor = await o.store.anchor(earlier);
    if (anchor === undefined) return undefined;
    const outcome = await o.port.broadcast(anchor.rawTx);
    if (outcome.ok) return lacking;
    if (outcome.code !== "missing-inputs") return undefined;
    lacking.unshift(anchor);
  }
  return undefined;
}
