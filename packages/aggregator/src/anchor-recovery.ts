/**
 * Anchors of this wallet that this store does not know: made after the backup it comes from. Each spends its
 * predecessor's change, so they are found by following the coin from block to block; numbering goes on after them. What
 * cannot be known is what they commit to: batches that are settled here and in no anchor go into the next one.
 */

import type { Anchor } from "./anchor-store.ts";
import type { AnchorCoin, AnchorPort, AnchorSpend, Log } from "./ports.ts";
import type { Store } from "./store.ts";

/** Where the chain of anchors ends. */
interface ChainEnd {
  readonly sequence: number;
  /** What the next anchor spends; undefined: the wallet's coins were moved, the chain starts anew. */
  readonly coin: AnchorCoin | undefined;
}

/** From where the chain is followed: `coin` is the change of anchor `sequence`, confirmed at or above `fromHeight`. */
interface ChainStart {
  readonly sequence: number;
  readonly coin: AnchorCoin;
  readonly fromHeight: number;
}

/** Where the chain of anchors ends, looked for once for each tip. */
export interface ChainEnds {
  /**
   * In this store, or after anchors made since the backup it comes from. Undefined: the last anchor's coin is in no
   * block just now.
   */
  find(last: Anchor | undefined, tip: number): Promise<ChainEnd | undefined>;
}

interface RecoveryParts {
  readonly store: Pick<Store, "setting">;
  readonly port: AnchorPort;
  readonly log: Pick<Log, "warn">;
}

/** Makes one that has looked for nothing. What is found is told when it changes. */
export function createChainEnds(o: RecoveryParts): ChainEnds {
  let known: { readonly key: string; readonly end: ChainEnd | undefined } | undefined;
  let told: number | undefined;
  return {
    find: async (last, tip) => {
      const key = `${last?.txid} ${tip}`;
      if (known?.key === key) return known.end;
      const start = last === undefined ? await unknownStart(o, tip) : await spentStart(o.port, last, tip);
      if (start === undefined) {
        const end = { sequence: last?.sequence ?? 0, coin: last?.change };
        if (last === undefined) known = { key, end };
        return end;
      }
      const { isCut, ...found } = await followAnchors(o.port, start, tip);
      const end = isCut ? { ...found, coin: undefined } : found;
      if (!isCut && found.coin === last?.change) return undefined;
      known = { key, end };
      if (told !== end.sequence) o.log.warn({ known: last?.sequence ?? 0, newest: end.sequence }, toldOf(isCut));
      told = end.sequence;
      return end;
    },
  };
}

const toldOf = (isCut: boolean): string =>
  isCut
    ? "the node lacks blocks that hold anchors of this wallet: sequence numbers may repeat"
    : "Bitcoin holds anchors of this wallet that are not in this store: the next one goes after them";

/** The last anchor, when something this store does not know spent its change. */
async function spentStart(port: AnchorPort, last: Anchor, tip: number): Promise<ChainStart | undefined> {
  const { mined, change, sequence } = last;
  if (mined === undefined || mined.height > tip || !(await port.isSpent(change))) return undefined;
  return { sequence, coin: change, fromHeight: mined.height };
}

/** The wallet's first anchor, when the store comes from a backup without any. */
async function unknownStart({ store, port }: RecoveryParts, tip: number): Promise<ChainStart | undefined> {
  const madeAt = await store.setting("backup-made-at");
  return madeAt === undefined ? undefined : firstAnchorSince(port, Number(madeAt), tip);
}

/** Follows the coin to its last confirmed owner. `isCut`: the node no longer has the blocks that would tell. */
async function followAnchors(
  port: AnchorPort,
  start: ChainStart,
  tip: number,
): Promise<ChainEnd & { readonly isCut: boolean }> {
  let end: ChainEnd = start;
  for (let height = start.fromHeight; height <= tip && end.coin !== undefined; height += 1) {
    const block = await blockAt(port, height);
    if (block === null) return { ...end, isCut: true };
    for (let spend = spendOf(port, block, end); spend !== undefined; spend = spendOf(port, block, end)) {
      end = { sequence: end.sequence + (spend.commitment === undefined ? 0 : 1), coin: spend.change };
    }
  }
  return { ...end, isCut: false };
}

const spendOf = (port: AnchorPort, block: Uint8Array, { coin }: Pick<ChainEnd, "coin">): AnchorSpend | undefined =>
  coin === undefined ? undefined : port.spendOf(block, coin);

async function blockAt(port: AnchorPort, height: number): Promise<Uint8Array | null> {
  const hash = await port.blockHash(height);
  return hash === null ? null : port.block(hash);
}

/** Miners' clocks differ by two hours at most (consensus: median of 11, two hours ahead). */
const CLOCK_MARGIN_MS = 3 * 3_600_000;

/** The wallet's first anchor in blocks made since `sinceMs`; undefined: there is none. */
async function firstAnchorSince(port: AnchorPort, sinceMs: number, tip: number): Promise<ChainStart | undefined> {
  for (let height = await heightAt(port, sinceMs - CLOCK_MARGIN_MS, tip); height <= tip; height += 1) {
    const block = await blockAt(port, height);
    const first = block === null ? undefined : port.firstAnchor(block);
    if (first?.change !== undefined) return { sequence: 1, coin: first.change, fromHeight: height };
  }
  return undefined;
}

/** About the first block made after `timeMs`, by bisection. */
async function heightAt(port: AnchorPort, timeMs: number, tip: number): Promise<number> {
  let [low, high] = [0, tip];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const block = await blockAt(port, middle);
    if (block !== null && port.timeMs(block) < timeMs) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Stores a variant that was found in a block. Its fee is what is known of it: further inputs are not looked up. */
export async function adoptVariant(
  o: { readonly store: Store; readonly log: Pick<Log, "warn"> },
  anchor: Anchor,
  { txid, rawTx, change }: AnchorSpend,
  height: number,
): Promise<void> {
  if (change === undefined) throw new Error(`the variant ${txid} of anchor ${anchor.sequence} has no change`);
  const feeSat = Math.max(0, anchor.input.valueSat - change.valueSat);
  await o.store.addVariant(anchor.sequence, { txid, rawTx, change, feeSat, input: anchor.input, signedHeight: height });
  o.log.warn({ anchor: anchor.sequence, txid }, "a variant of an anchor that this store does not know was confirmed");
}
