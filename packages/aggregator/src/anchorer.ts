/**
 * The anchor worker: one Bitcoin transaction per period over the commitments settled since, written before it is
 * broadcast, watched until it is buried and after; a reorg takes it back. No anchor is made while one is unconfirmed.
 * Each new tip costs one look-up for all final anchors. Knows Bitcoin only through its port.
 */
import { type AnchorEvent, anchorObserved } from "./anchor-life.ts";
import { newAnchor } from "./anchor-making.ts";
import { adoptVariant, type ChainEnds, createChainEnds } from "./anchor-recovery.ts";
import { type AnchorSender, createAnchorSender } from "./anchor-sender.ts";
import type { Anchor } from "./anchor-store.ts";
import { signVariant, variantDue } from "./anchor-variant.ts";
import {
  anchorParts,
  type BlockWatch,
  createBlockWatch,
  FINALS_AT_START,
  lostFrom,
  type SightedAnchor,
  type Sighting,
  sightFinals,
} from "./anchor-watch.ts";
import type { AnchorPort, BroadcastOutcome, Clock, Log } from "./ports.ts";
import type { Store } from "./store.ts";

/** Pace and depth of anchoring. */
export interface AnchorerPolicy {
  readonly anchorPeriodMs: number;
  /** Confirmations at which an anchor is final; its own block counts as one. */
  readonly finalDepth: number;
  readonly pollMs: number;
  /** An unconfirmed anchor is broadcast again this often, */
  readonly rebroadcastMs: number;
  /** and offers a higher fee each time so many blocks came without it. */
  readonly bumpBlocks: number;
}

/** What the worker is made of. */
export interface AnchorerOptions {
  readonly store: Store;
  readonly port: AnchorPort;
  readonly policy: AnchorerPolicy;
  readonly clock: Clock;
  readonly log: Log;
  readonly onMoved: (sequence: number) => void;
  /** A final anchor's block left the best chain: an alarm. */
  readonly onFinalLost: (sequence: number) => Promise<void>;
  /** Whether the unconfirmed anchor should offer more and may not. */
  readonly onFeeCapped: (isCapped: boolean) => void;
  /** Whether an anchor is due and there is no coin to make it of. */
  readonly onUnfunded: (isUnfunded: boolean) => void;
}

/** The store anchors on another Bitcoin network than the node answers for. */
export class NetworkMismatchError extends Error {
  override readonly name = "NetworkMismatchError";
}

const IDLE_MS = 1_000;

interface Anchorer extends AnchorerOptions {
  readonly watch: BlockWatch;
  readonly sender: AnchorSender;
  readonly ends: ChainEnds;
}

/** Makes the worker's step. Anchors unconfirmed when this process started are broadcast at the first step. */
export function anchorerStep(options: AnchorerOptions): () => Promise<{ readonly restMs: number }> {
  const { store, port, policy, clock, log } = options;
  const sender = createAnchorSender({ store, port, rebroadcastMs: policy.rebroadcastMs, clock, log });
  const o: Anchorer = {
    ...options,
    watch: createBlockWatch(port),
    sender,
    ends: createChainEnds({ store, port, log }),
  };
  let prepared = false;
  let seenTip: string | null = null;
  const [make, renew] = [toldMaking(o), toldRenewal(o)];
  return async () => {
    if (!prepared) await prepareNetwork(o);
    prepared = true;
    const tip = await port.tip();
    const tipHash = await port.blockHash(tip);
    if (tipHash !== seenTip) {
      const moved = await observe(o, tip, seenTip === null ? FINALS_AT_START : 1);
      // What moved is looked at once more under the same tip; a step that throws repeats all.
      if (!moved) seenTip = tipHash;
    }
    const open = await store.openAnchors();
    const unconfirmed = open.filter((anchor) => anchor.state === "intent" || anchor.state === "broadcast");
    const outcome = await sendInOrder(o, unconfirmed);
    await renew(unconfirmed[0], tip, outcome);
    const made = unconfirmed.length === 0 ? await make(tip) : undefined;
    if (made !== undefined) await sender.send(made);
    return { restMs: open.length > 0 || made !== undefined ? policy.pollMs : IDLE_MS };
  };
}

/** Makes the next anchor; what stands in its way is told once, and waited for at most `bumpBlocks`. */
function toldMaking(o: Anchorer): (tip: number) => Promise<Anchor | undefined> {
  let isUnfunded = false;
  let awaited: { readonly txid: string; readonly tip: number } | undefined;
  return async (tip) => {
    const mayReplace = awaited !== undefined && tip >= awaited.tip + o.policy.bumpBlocks;
    const made = await makeAnchor(o, tip, mayReplace);
    if (typeof made === "object" && "awaits" in made) {
      if (awaited?.txid === made.awaits) return undefined;
      awaited = { txid: made.awaits, tip };
      o.log.warn({ txid: made.awaits }, "a transaction that is not in this store spends the wallet's coin: waiting");
      return undefined;
    }
    awaited = undefined;
    if (made === "unfunded" && !isUnfunded) {
      o.log.error({ network: o.port.network }, "the anchor wallet has no confirmed coin, anchors wait for one");
    }
    isUnfunded = made === "unfunded";
    o.onUnfunded(isUnfunded);
    return made === "unfunded" ? undefined : made;
  };
}

/** Renews an unconfirmed anchor. A cap is looked at again under another tip only: estimates change slowly. */
function toldRenewal(
  o: Anchorer,
): (anchor: Anchor | undefined, tip: number, outcome: BroadcastOutcome | undefined) => Promise<void> {
  let cappedAtTip: number | undefined;
  return async (anchor, tip, outcome) => {
    if (anchor !== undefined && cappedAtTip === tip) return;
    cappedAtTip = (await renewOne(o, anchor, tip, outcome)) === "capped" ? tip : undefined;
    o.onFeeCapped(cappedAtTip !== undefined);
  };
}

/** Looks at the newest final anchors and all open ones in the chain that ends at the tip; true: something moved. */
async function observe(o: Anchorer, tip: number, finals: number): Promise<boolean> {
  const sighted = await sightFinals(o, tip, finals);
  await resendAboveTip(o, sighted, tip);
  let moved = false;
  let predecessor: number | undefined;
  const judge = async ({ anchor, seen }: SightedAnchor): Promise<void> => {
    const isTaken = seen?.isTaken === true;
    const sight = { height: seen?.height, tip, minedHeight: anchor.mined?.height, isTaken };
    const event = anchorObserved(anchor.state, sight, o.policy.finalDepth);
    if (event !== undefined) await apply(o, { anchor, seen, predecessor }, event);
    moved ||= event !== undefined;
    if (!isTaken) predecessor = seen?.height ?? predecessor;
  };
  for (const final of sighted) await judge(final);
  // What spends from an anchor in no block is in none either.
  let isMissing = false;
  for (const anchor of await o.store.openAnchors()) {
    const seen: Sighting | undefined =
      isMissing && anchor.mined === undefined ? undefined : await o.watch.find(anchor, tip);
    isMissing ||= seen === undefined || seen.isTaken === true;
    await judge({ anchor, seen });
  }
  return moved;
}

/** The node lost its newest blocks, final anchors' among them: it may have lost their transactions too. */
async function resendAboveTip(o: Anchorer, sighted: readonly SightedAnchor[], tip: number): Promise<void> {
  const above = sighted.flatMap(({ anchor }) => ((anchor.mined?.height ?? 0) > tip ? [anchor] : []));
  const [first] = above;
  if (first === undefined) return;
  o.log.warn({ anchor: first.sequence, tip }, "the Bitcoin node's tip is below final anchors, they are sent again");
  o.sender.expedite(first.sequence);
  await sendInOrder(o, above);
}

/** Sends until one lacks its input; what the node said of the first. */
async function sendInOrder(o: Anchorer, anchors: readonly Anchor[]): Promise<BroadcastOutcome | undefined> {
  let first: BroadcastOutcome | undefined;
  for (const [index, anchor] of anchors.entries()) {
    const outcome = await o.sender.send(anchor);
    if (index === 0) first = outcome;
    if (outcome?.ok === false && outcome.code === "missing-inputs") break;
  }
  return first;
}

/** Signs the oldest unconfirmed anchor again when that is due, and sends it. */
async function renewOne(
  o: Anchorer,
  anchor: Anchor | undefined,
  tip: number,
  outcome: BroadcastOutcome | undefined,
): Promise<"signed" | "capped" | undefined> {
  if (anchor === undefined) return undefined;
  const predecessor = await o.store.anchor(anchor.sequence - 1);
  const lacksInput = outcome?.ok === false && outcome.code === "missing-inputs";
  const hasChained = lacksInput && !(await o.port.isSpent(anchor.input));
  const reason = variantDue({ anchor, predecessor, tip, outcome, hasChained, bumpBlocks: o.policy.bumpBlocks });
  if (reason === undefined) return undefined;
  const done = await signVariant(o, anchor, { reason, predecessor, tip });
  const renewed = done === "signed" ? await o.store.anchor(anchor.sequence) : undefined;
  if (renewed === undefined) return done;
  o.sender.expedite(renewed.sequence);
  await o.sender.send(renewed);
  return done;
}

async function prepareNetwork({ store, port }: AnchorerOptions): Promise<void> {
  const known = await store.setting("anchor-network");
  if (known !== undefined && known !== port.network) {
    throw new NetworkMismatchError(`the store anchors on ${known}, the Bitcoin node is on ${port.network}`);
  }
  await store.set("anchor-network", port.network);
}

async function apply(
  o: Anchorer,
  sighted: SightedAnchor & { readonly predecessor: number | undefined },
  event: AnchorEvent,
): Promise<void> {
  const { anchor } = sighted;
  const { sequence, txid } = anchor;
  if (event === "mined" && sighted.seen !== undefined) {
    await mined(o, anchor, sighted.seen);
  } else if (event === "displaced") {
    await o.store.anchorDisplaced(sequence);
    const fields = { anchor: sequence, txid, by: sighted.seen?.txid, height: sighted.seen?.height };
    o.log.error(fields, "what an anchor was to spend is spent by a transaction this store does not know: made anew");
  } else if (event === "reorged" || event === "orphaned") {
    await lose(o, anchor, event, sighted.predecessor);
  } else if (event === "buried") {
    await o.store.anchorFinal(sequence, o.clock());
    o.log.info({ anchor: sequence, txid }, "anchor final");
  }
  o.onMoved(sequence);
}

async function mined(o: Anchorer, anchor: Anchor, seen: Sighting): Promise<void> {
  const found = await anchorParts(o.store, o.port, anchor, seen);
  if (found === undefined) return;
  if (seen.stranger !== undefined) await adoptVariant(o, anchor, seen.stranger, seen.height);
  await o.store.anchorMined(anchor.sequence, found.block, found.parts, o.clock());
  o.log.info({ anchor: anchor.sequence, ...found.block }, "anchor mined");
}

async function lose(
  o: Anchorer,
  anchor: Anchor,
  event: "reorged" | "orphaned",
  predecessor: number | undefined,
): Promise<void> {
  const { sequence, txid, mined } = anchor;
  if (event === "orphaned") await o.onFinalLost(sequence);
  await o.store.anchorLost(sequence, event, lostFrom(mined?.height ?? anchor.fromHeight, predecessor), o.clock());
  o.sender.expedite(sequence);
  if (event === "reorged") return o.log.warn({ anchor: sequence, txid }, "the anchor's block left the best chain");
  const fields = { anchor: sequence, txid, height: mined?.height, block: mined?.blockHash };
  o.log.error(fields, "a FINAL anchor's block left the best chain: its submissions are settled again");
}

async function makeAnchor(o: Anchorer, tip: number, mayReplace: boolean): ReturnType<typeof newAnchor> {
  const last = await o.store.lastAnchor();
  if (last !== undefined && o.clock() < last.createdAtMs + o.policy.anchorPeriodMs) return undefined;
  const { store, port, ends } = o;
  const made = await newAnchor({ store, port, ends, last, tip, mayReplace, nowMs: o.clock() });
  if (made !== undefined && made !== "unfunded" && "sequence" in made) {
    o.log.info({ anchor: made.sequence, txid: made.txid, batches: made.size }, "anchor made");
    o.onMoved(made.sequence);
  }
  return made;
}
