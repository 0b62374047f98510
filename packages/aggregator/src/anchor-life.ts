/**
 * Life of an anchor (anchoring-and-receipts: anchor). Pure.
 *
 *   intent    --accepted-->  broadcast   (the exact signed bytes are durable since `intent`)
 *   intent    --mined-->     mined       (accepted before a crash, found later)
 *   broadcast --mined-->     mined
 *   intent, broadcast --displaced-->  (no anchor: what it spends was spent by a transaction that is no variant of it and
 *                                     is buried; its batches go into the next one)
 *   mined     --reorged-->   broadcast   (its block left the best chain; the same bytes are sent again)
 *   mined     --buried-->    final
 *   final     --orphaned-->  broadcast   (a reorg deeper than the final depth: an alarm; the same bytes are sent again)
 *
 * A final anchor whose height is above the node's tip stays final: the node lost its newest blocks and may bring the
 * same ones back. Only another block at its height takes finality away.
 */

/** State of an anchor. */
export type AnchorState = "intent" | "broadcast" | "mined" | "final";
/** What can happen to an anchor. */
export type AnchorEvent = "accepted" | "mined" | "reorged" | "buried" | "orphaned" | "displaced";

const TABLE: Readonly<Record<AnchorState, Partial<Readonly<Record<AnchorEvent, AnchorState | "gone">>>>> = {
  intent: { accepted: "broadcast", mined: "mined", displaced: "gone" },
  broadcast: { mined: "mined", displaced: "gone" },
  mined: { reorged: "broadcast", buried: "final" },
  final: { orphaned: "broadcast" },
};

/** The state after an event; `gone`: its row goes; undefined when the event does not apply in this state. */
export function anchorStep(state: AnchorState, event: AnchorEvent): AnchorState | "gone" | undefined {
  return TABLE[state][event];
}

/** What the watcher sees of an anchor in the best chain. */
export interface AnchorSight {
  /** Height of the block that holds it; undefined: in no block of the best chain. */
  readonly height: number | undefined;
  readonly tip: number;
  /** Height of the block it was last mined in; undefined: not mined. */
  readonly minedHeight: number | undefined;
  /** The block holds another transaction that spends its input. */
  readonly isTaken?: boolean;
}

/** What a sight means for an anchor in a state; undefined: nothing new. */
export function anchorObserved(state: AnchorState, sight: AnchorSight, finalDepth: number): AnchorEvent | undefined {
  const isBuried = sight.height !== undefined && sight.tip - sight.height + 1 >= finalDepth;
  if (state === "intent" || state === "broadcast") {
    if (sight.isTaken) return isBuried ? "displaced" : undefined;
    return sight.height === undefined ? undefined : "mined";
  }
  if (state === "final") return isReplaced(sight) ? "orphaned" : undefined;
  if (sight.height === undefined) return "reorged";
  return isBuried ? "buried" : undefined;
}

function isReplaced({ height, tip, minedHeight }: AnchorSight): boolean {
  return height === undefined && minedHeight !== undefined && minedHeight <= tip;
}
