/** Anchors as they are kept, with every form they were signed in. Part of the repository interface. */
import type { Hash, Hex } from "@cairn/primitives";
import type { ReceiptAnchor } from "@cairn/proofs";
import type { AnchorState } from "./anchor-life.ts";
import type { Batch } from "./batch-store.ts";
import type { AnchorCoin } from "./ports.ts";

/** One signed form of an anchor. Each fee bump is one; at most one is ever confirmed. */
export interface AnchorVariant {
  readonly rawTx: Uint8Array;
  readonly txid: string;
  /** What it spends first: the same for all variants, unless a reorg gave the predecessor another change. */
  readonly input: AnchorCoin;
  readonly change: AnchorCoin;
  readonly feeSat: number;
  /** Tip when it was signed. */
  readonly signedHeight: number;
}

/**
 * An anchor. Txids and block hashes in display order. `rawTx`, `txid`, `input`, `change` and `feeSat` are those of its
 * current variant: the mined one, else the newest.
 */
export interface Anchor {
  readonly sequence: number;
  readonly state: AnchorState;
  readonly network: string;
  readonly size: number;
  readonly root: Hash;
  readonly header: Hex;
  readonly commitment: Hash;
  readonly rawTx: Uint8Array;
  readonly txid: string;
  readonly input: AnchorCoin;
  readonly change: AnchorCoin;
  readonly feeSat: number;
  /** All variants, oldest first. */
  readonly variants: readonly { readonly txid: string; readonly signedHeight: number }[];
  /** Tip when it was signed first, or lower after a reorg: it can only be in a higher block. */
  readonly fromHeight: number;
  readonly createdAtMs: number;
  readonly mined: { readonly height: number; readonly blockHash: string; readonly atMs: number } | undefined;
  readonly finalAtMs: number | undefined;
}

/** An anchor with its first variant, as it is made. */
export type NewAnchor = Omit<Anchor, "state" | "mined" | "finalAtMs" | "variants">;

/** Anchors. */
export interface AnchorStore {
  /** Settled batches in no anchor, by number. */
  unanchored(limit: number): Promise<readonly Batch[]>;
  /** Anchor and its batches' positions; nothing is sent before this is durable. */
  createAnchor(anchor: NewAnchor, batches: readonly number[]): Promise<void>;
  /** A further variant, which becomes the current one; not sent before this is durable. */
  addVariant(sequence: number, variant: AnchorVariant): Promise<void>;
  /** Not final, by sequence. */
  openAnchors(): Promise<readonly Anchor[]>;
  /** Final ones, newest first. */
  finalAnchors(o: { readonly limit: number; readonly before?: number }): Promise<readonly Anchor[]>;
  lastAnchor(): Promise<Anchor | undefined>;
  anchorAccepted(sequence: number): Promise<void>;
  /** Anchor and its batches with their receipts' part; the variant that was mined becomes the current one. */
  anchorMined(
    sequence: number,
    block: { readonly height: number; readonly blockHash: string; readonly txid: string },
    receiptParts: ReadonlyMap<number, ReceiptAnchor>,
    nowMs: number,
  ): Promise<void>;
  /** Its block left the best chain: back to `settled`; from here on it may be mined again above `fromHeight`. */
  anchorLost(sequence: number, event: "reorged" | "orphaned", fromHeight: number, nowMs: number): Promise<void>;
  anchorFinal(sequence: number, nowMs: number): Promise<void>;
  /** An unconfirmed anchor that can never confirm goes, with those after it; their batches are in no anchor again. */
  anchorDisplaced(sequence: number): Promise<void>;
  anchor(sequence: number): Promise<Anchor | undefined>;
  anchors(o: { readonly limit: number; readonly before?: number }): Promise<readonly Anchor[]>;
  anchorByCommitment(commitment: Hash): Promise<Anchor | undefined>;
  /** Batches of an anchor in order. */
  anchorBatches(sequence: number): Promise<readonly Batch[]>;
  receiptAnchor(batch: number): Promise<ReceiptAnchor | undefined>;
}
