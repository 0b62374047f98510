/**
 * Owns the transaction pool's state and what every step on it shares: bookkeeping of slots, counts and prices. The
 * steps are in their own files: `add.ts`, `head.ts`, `truncate.ts`, `select.ts`. The pool is a value owned by its
 * caller: steps change it in place, take the time as an argument, do no I/O and answer what changed.
 *
 *   (new)            --add: contiguous and paid for-->              pending
 *   (new)            --add: a nonce gap, or paid for only alone-->  queued
 *   queued           --gap filled | balance rises-->                pending   (`promoted`)
 *   pending          --predecessor leaves | balance falls-->        queued
 *   pending, queued  --nonce used in a block-->                     gone      (`mined`)
 *   pending, queued  --replaced by +10 % of both fees-->            gone      (`replaced`)
 *   pending, queued  --cheapest while the pool is full-->           gone      (`evicted`; not of local senders, nor the
 *                                                                              three limits below)
 *   pending          --biggest senders above their slots-->         gone      (`truncated`)
 *   queued           --queue limits-->                              gone      (`truncated`)
 *   queued           --sender silent for the lifetime-->            gone      (`expired`)
 *   pending, queued  --balance cannot pay it alone-->               gone      (`unaffordable`)
 *   pending          --first of its sender and still refused by a dry run--> gone (`unexecutable`)
 */
import type { Address, Hash } from "@cairn/primitives";
import type { PooledTx } from "../pooled-tx.ts";
import { heapify, heapPush } from "./heap.ts";
import { type PoolLimits, slotsOf } from "./limits.ts";
import { cutTail, extend, type PoolAccount } from "./pool-account.ts";

/** Why a transaction left the pool; see the table above. */
export type DropReason = "mined" | "replaced" | "evicted" | "truncated" | "expired" | "unaffordable" | "unexecutable";

/** One transaction that left. */
export interface DroppedTx {
  readonly tx: PooledTx;
  readonly reason: DropReason;
}

/** What steps did, in their order. Steps append to it. */
export interface PoolChanges {
  /** Became executable. */
  readonly promoted: PooledTx[];
  readonly dropped: DroppedTx[];
}

/** The pool. `slots` counts 32 KiB slots, `pending` executable transactions; both follow from `accounts`. */
export interface TxPool {
  readonly limits: PoolLimits;
  /** Least tip taken and proposed, in wei per gas. */
  readonly minTipWei: bigint;
  readonly accounts: Map<Address, PoolAccount>;
  /** Senders of this node's own: spared by eviction, queue and slot limits, and the lifetime. */
  readonly locals: Set<Address>;
  readonly byHash: Map<Hash, PooledTx>;
  /** How many pooled transactions carry an authorization of an account (EIP-7702). */
  readonly authorities: Map<Address, number>;
  /** Heap, cheapest first; entries whose transaction left are skipped when met. */
  byPrice: PooledTx[];
  slots: number;
  pending: number;
  /** Evictions since the last block, to bound churn. */
  evictions: number;
}

/** An empty pool. */
export function createTxPool(limits: PoolLimits, minTipWei: bigint): TxPool {
  return {
    limits,
    minTipWei,
    accounts: new Map(),
    locals: new Set(),
    byHash: new Map(),
    authorities: new Map(),
    byPrice: [],
    slots: 0,
    pending: 0,
    evictions: 0,
  };
}

/** No changes yet. */
export const noChanges = (): PoolChanges => ({ promoted: [], dropped: [] });

/** Whether `left` is evicted before `right`: lower fee cap, then lower tip, then the later one. */
export function isCheaper(left: PooledTx, right: PooledTx): boolean {
  if (left.maxFeePerGasWei !== right.maxFeePerGasWei) return left.maxFeePerGasWei < right.maxFeePerGasWei;
  if (left.maxPriorityFeePerGasWei !== right.maxPriorityFeePerGasWei) {
    return left.maxPriorityFeePerGasWei < right.maxPriorityFeePerGasWei;
  }
  return left.addedMs === right.addedMs ? left.nonce > right.nonce : left.addedMs > right.addedMs;
}

/** Registers a transaction that was placed in its account. */
export function enterTx(pool: TxPool, tx: PooledTx): void {
  pool.byHash.set(tx.hash, tx);
  pool.slots += slotsOf(tx.size);
  for (const authority of tx.authorities) count(pool, authority, 1);
  heapPush(pool.byPrice, tx, isCheaper);
  if (pool.byPrice.length > 2 * pool.byHash.size + 1024) {
    pool.byPrice = [...pool.byHash.values()];
    heapify(pool.byPrice, isCheaper);
  }
}

/** Forgets transactions that were taken out of their account. */
export function leaveTxs(pool: TxPool, txs: readonly PooledTx[], reason: DropReason, changes: PoolChanges): void {
  for (const tx of txs) {
    pool.byHash.delete(tx.hash);
    pool.slots -= slotsOf(tx.size);
    for (const authority of tx.authorities) count(pool, authority, -1);
    changes.dropped.push({ tx, reason });
  }
}

/**
 * Runs one change of an account, lets what follows become executable, cuts its queue to the limit, and keeps the
 * pool's counts true. Accounts without transactions are forgotten.
 */
export function changeAccount(
  pool: TxPool,
  account: PoolAccount,
  changes: PoolChanges,
  change: (account: PoolAccount) => void,
): void {
  const before = account.executable;
  change(account);
  for (const tx of extend(account)) changes.promoted.push(tx);
  pool.pending += account.executable - before;
  const most = account.executable + pool.limits.accountQueue;
  if (account.txs.length > most) leaveTxs(pool, cutTail(account, most), "truncated", changes);
  if (account.txs.length === 0) pool.accounts.delete(account.address);
}

function count({ authorities }: TxPool, authority: Address, by: 1 | -1): void {
  const now = (authorities.get(authority) ?? 0) + by;
  if (now === 0) authorities.delete(authority);
  else authorities.set(authority, now);
}
