/**
 * Owns the face of the chain towards everything that reads it or feeds it: submissions, head feed, pool view, filters,
 * reads, and the ABCI application an engine drives. Not sockets, JSON-RPC or configuration.
 */
import type { AbciApplication } from "@cairn/abci";
import type { BlockRef, Head, Native } from "@cairn/native";
import type { Address, Hash, Hex } from "@cairn/primitives";
import type { FilterRegistry } from "./filter-registry.ts";
import type { HeadLog } from "./head-log.ts";
import type { BuildPending } from "./pending-block.ts";
import type { PooledTx } from "./pooled-tx.ts";
import type { SubmitOutcome } from "./submission.ts";

/** The block tags of Ethereum JSON-RPC. One-block finality: `safe` and `finalized` are `latest`. */
export type BlockTag = "latest" | "earliest" | "pending" | "safe" | "finalized";

/** The reading half of the native core; writing stays with the application. */
export type ChainReads = Omit<Native, "admit" | "propose" | "execute" | "commit" | "buildPending" | "close">;

/** One committed block, published once, after its durable write and after pool and filters took it in. */
export interface HeadEvent {
  readonly head: Head;
  /** The header object as JSON text, as `eth_subscribe("newHeads")` sends it. */
  readonly headerJson: string;
  /** All logs of the block as the JSON text of an array. */
  readonly logsJson: string;
  readonly logsBloom: Hex;
  /** Transaction hashes in block order. */
  readonly hashes: readonly Hash[];
  /** The same logs one by one, each with what matching needs and its own JSON text. */
  logs(): Iterable<HeadLog>;
}

/** One transaction that became executable (pending) in the pool. */
export interface PendingEvent {
  readonly hash: Hash;
  readonly tx: PooledTx;
}

/** Transactions of each sender in nonce order. */
export type PoolContent = ReadonlyMap<Address, readonly PooledTx[]>;

/** The pool as others may see it. */
export interface PoolView {
  /** The nonce the sender's next transaction should have: past its executable pooled ones, else the head's. */
  pendingNonce(address: Address): bigint;
  get(hash: Hash): PooledTx | undefined;
  /** A pooled transaction by sender and nonce. */
  at(sender: Address, nonce: bigint): PooledTx | undefined;
  content(): { readonly pending: PoolContent; readonly queued: PoolContent };
  contentFrom(address: Address): { readonly pending: readonly PooledTx[]; readonly queued: readonly PooledTx[] };
  status(): { readonly pending: number; readonly queued: number };
  /** What the next proposal would take, in its order: fees first, nonces ascending per sender. */
  selection(): readonly PooledTx[];
}

/** What a journal gave back. */
export interface RestoredPool {
  readonly read: number;
  /** Of those, pooled again: the others were mined, or no longer fit. */
  readonly pooled: number;
}

/** A running chain over one open native database. */
export interface Chain {
  /** What the consensus engine drives. */
  readonly app: AbciApplication;
  readonly chainId: bigint;
  /** Least tip in wei the pool takes and proposals include. */
  readonly minGasPriceWei: bigint;
  /** Gas limit of a block. */
  readonly blockGasLimit: bigint;

  /** Hands one EIP-2718 transaction to the pool. Submissions of one event-loop turn share one native call. */
  submit(raw: Uint8Array): Promise<SubmitOutcome>;
  /** Resolves when every submission made so far is answered; `undefined` when all are. */
  submissionsSettled(): Promise<void> | undefined;
  /** Makes an account of this node's own one that the full pool spares. */
  addLocal(sender: Address): void;
  /** Submits again what the pool's journal holds; once, before anything is served. */
  restorePool(): Promise<RestoredPool>;

  head(): Head;
  /**
   * The committed block a tag, height or hash names; `pending` resolves like `latest` (reads of the pending block await
   * `pending` instead). `undefined`: above the head or an unknown hash.
   */
  resolve(block: BlockTag | bigint | Hash): BlockRef | undefined;
  readonly reads: ChainReads;
  /** Builds the block that the pool would make now, for reads of `pending`. */
  readonly pending: BuildPending;
  readonly pool: PoolView;
  readonly filters: FilterRegistry;
  /** Receives the priority fees of blocks that this consensus address proposes on top of the head. */
  etherbase(consensusAddress: Uint8Array): Address;

  /** Calls `listener` once per committed block, in order. The returned function removes it. */
  onHead(listener: (event: HeadEvent) => void): () => void;
  /** Calls `listener` once per transaction that becomes executable. The returned function removes it. */
  onPending(listener: (event: PendingEvent) => void): () => void;

  /** Whether a proposal made now would carry a transaction. */
  hasTransactions(): boolean;
  /** Calls `listener` when executable transactions arrived (at most once per event-loop turn): wakes an engine. */
  onTransaction(listener: () => void): () => void;

  /** Stops taking submissions, ends timers and feeds. The native database stays open: its owner closes it. */
  close(): Promise<void>;
}
