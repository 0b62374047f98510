/** Where an anchor is in the best chain, and what its block gives its batches' receipts. */
import { hexToBytes } from "@cairn/primitives";
import { anchorPart, type ReceiptAnchor } from "@cairn/proofs";
import type { Anchor } from "./anchor-store.ts";
import type { AnchorPort, AnchorSpend } from "./ports.ts";
import type { Store } from "./store.ts";

const REMEMBERED_BLOCKS = 256;
/** A reorg may put an anchor into a block below the tip it was signed at. */
const REORG_MARGIN = 8;
/** A lost anchor is looked for so far below its old block, at most. */
const DEEPEST_REORG = 144;
/** Final anchors whose blocks are looked up when the process starts. */
export const FINALS_AT_START = 16;

/** The block that holds one of an anchor's variants, or what spends its input in the place of all of them. */
export interface Sighting {
  readonly height: number;
  readonly txid: string;
  /** Signed by this wallet, unknown to this store: a variant of after the backup it comes from, or something else. */
  readonly stranger?: AnchorSpend;
  /** The stranger commits to something else: no variant can confirm any more. */
  readonly isTaken?: boolean;
}

/** An anchor with its block in the best chain; undefined: in none. */
export interface SightedAnchor {
  readonly anchor: Anchor;
  readonly seen: Sighting | undefined;
}

/** Finds anchors in the best chain. */
export interface BlockWatch {
  /** The best chain's block that holds a variant of the anchor; undefined: none does. */
  find(anchor: Anchor, tip: number): Promise<Sighting | undefined>;
}

/** What is remembered of a block: its txids, and what spends the coins that were asked for. */
interface ReadBlock {
  readonly txids: ReadonlySet<string>;
  readonly spends: Map<string, AnchorSpend | undefined>;
}

function createBlockReader(port: AnchorPort): (hash: string, coin: Anchor["input"]) => Promise<ReadBlock> {
  const blocks = new Map<string, ReadBlock>();
  return async (hash, coin) => {
    const outpoint = `${coin.txid}:${coin.vout}`;
    const known = blocks.get(hash);
    if (known?.spends.has(outpoint)) return known;
    const block = await port.block(hash);
    if (block === null) return { txids: new Set(), spends: new Map() };
    const read = known ?? { txids: new Set(port.txids(block)), spends: new Map() };
    read.spends.set(outpoint, port.spendOf(block, coin));
    if (blocks.size >= REMEMBERED_BLOCKS) blocks.clear();
    blocks.set(hash, read);
    return read;
  };
}

/** What a block holds of an anchor that was in none. */
function sightingIn({ txids, spends }: ReadBlock, anchor: Anchor, height: number): Sighting | undefined {
  const variant = anchor.variants.find(({ txid }) => txids.has(txid));
  if (variant !== undefined) return { height, txid: variant.txid };
  const stranger = spends.get(`${anchor.input.txid}:${anchor.input.vout}`);
  if (stranger === undefined) return undefined;
  return { height, txid: stranger.txid, stranger, isTaken: stranger.commitment !== anchor.commitment };
}

/** Makes a watch that reads each block once. */
export function createBlockWatch(port: AnchorPort): BlockWatch {
  const read = createBlockReader(port);
  return {
    find: async (anchor, tip) => {
      if (anchor.mined !== undefined) {
        const hash = await port.blockHash(anchor.mined.height);
        return hash === anchor.mined.blockHash ? { height: anchor.mined.height, txid: anchor.txid } : undefined;
      }
      for (let height = Math.max(0, Math.min(tip, anchor.fromHeight) - REORG_MARGIN); height <= tip; height += 1) {
        const hash = await port.blockHash(height);
        if (hash === null) return undefined;
        const found = sightingIn(await read(hash, anchor.input), anchor, height);
        if (found !== undefined) return found;
      }
      return undefined;
    },
  };
}

/** The receipts' part of every batch of a mined anchor; undefined: its block changed meanwhile. */
export async function anchorParts(
  store: Store,
  port: AnchorPort,
  anchor: Anchor,
  { height, txid }: Sighting,
): Promise<
  | {
      readonly block: Sighting & { readonly blockHash: string };
      readonly parts: Map<number, ReceiptAnchor>;
    }
  | undefined
> {
  const blockHash = await port.blockHash(height);
  const block = blockHash === null ? null : await port.block(blockHash);
  if (blockHash === null || block === null || !port.txids(block).includes(txid)) return undefined;
  const batches = await store.anchorBatches(anchor.sequence);
  const commitments = batches.flatMap((batch) =>
    batch.settlement === undefined ? [] : [hexToBytes(batch.settlement.commitment)],
  );
  const parts = new Map<number, ReceiptAnchor>();
  for (const [index, batch] of batches.entries()) {
    const { network } = port;
    const sequence = BigInt(anchor.sequence);
    parts.set(batch.number, anchorPart({ network, sequence, commitments, index, txid, block }));
  }
  return { block: { height, blockHash, txid }, parts };
}

/**
 * The newest final anchors down to one whose block is in the best chain, by sequence: blocks are linked, so those below
 * it are there too, once `atLeast` were looked at. One look-up as long as nothing is lost.
 */
export async function sightFinals(
  o: { readonly store: Store; readonly watch: BlockWatch },
  tip: number,
  atLeast: number,
): Promise<readonly SightedAnchor[]> {
  const sighted: SightedAnchor[] = [];
  for (let before = Number.MAX_SAFE_INTEGER; ; ) {
    const page = await o.store.finalAnchors({ limit: FINALS_AT_START, before });
    for (const anchor of page) {
      const seen = await o.watch.find(anchor, tip);
      sighted.unshift({ anchor, seen });
      if (seen !== undefined && sighted.length >= atLeast) return sighted;
    }
    const oldest = page.at(-1);
    if (oldest === undefined || page.length < FINALS_AT_START) return sighted;
    before = oldest.sequence;
  }
}

/** Below which height a lost anchor cannot be: its predecessor's block, which it spends from, bounded. */
export function lostFrom(minedHeight: number, predecessorHeight: number | undefined): number {
  return Math.max(0, minedHeight - DEEPEST_REORG, (predecessorHeight ?? 0) - 1);
}
