/**
 * Owns the pooled transactions of one sender. The first `executable` of them are contiguous from the state nonce and
 * paid for together by the balance: exactly those are pending, the rest is queued. Not limits and not prices.
 */
import type { Address } from "@cairn/primitives";
import { type PooledTx, txCostWei } from "../pooled-tx.ts";

/** One sender's part of the pool. Changed in place by this module only. */
export interface PoolAccount {
  readonly address: Address;
  stateNonce: bigint;
  balanceWei: bigint;
  /** Ascending nonces, none twice, none below `stateNonce`. */
  txs: PooledTx[];
  executable: number;
  /** Cost of the executable ones together. */
  executableCostWei: bigint;
  /** When the sender last sent something. */
  heartbeatMs: number;
}

/** A sender without pooled transactions. */
export function createPoolAccount(
  address: Address,
  stateNonce: bigint,
  balanceWei: bigint,
  nowMs: number,
): PoolAccount {
  return { address, stateNonce, balanceWei, txs: [], executable: 0, executableCostWei: 0n, heartbeatMs: nowMs };
}

/** Where a nonce stands or would stand. */
export function positionOf(account: PoolAccount, nonce: bigint): number {
  const { txs } = account;
  const last = txs[txs.length - 1];
  if (last === undefined || last.nonce < nonce) return txs.length;
  let low = 0;
  let high = txs.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    const tx = txs[middle];
    if (tx !== undefined && tx.nonce < nonce) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The pooled transaction with that nonce. */
export function txAt(account: PoolAccount, nonce: bigint): PooledTx | undefined {
  const tx = account.txs[positionOf(account, nonce)];
  return tx?.nonce === nonce ? tx : undefined;
}

/** The first nonce no executable transaction uses. */
export const nextNonce = (account: PoolAccount): bigint => account.stateNonce + BigInt(account.executable);

/** Puts a transaction at its nonce, answering the one that stood there. Call `extend` afterwards. */
export function placeTx(account: PoolAccount, tx: PooledTx): PooledTx | undefined {
  const at = positionOf(account, tx.nonce);
  const old = account.txs[at];
  if (old?.nonce !== tx.nonce) {
    account.txs.splice(at, 0, tx);
    return undefined;
  }
  account.txs[at] = tx;
  if (at < account.executable) {
    account.executableCostWei += txCostWei(tx) - txCostWei(old);
    shrink(account);
  }
  return old;
}

/** Takes the transaction with that nonce out; later ones of the sender are queued from then on. */
export function removeTx(account: PoolAccount, nonce: bigint): void {
  const at = positionOf(account, nonce);
  if (account.txs[at]?.nonce !== nonce) return;
  retreatTo(account, Math.min(account.executable, at));
  account.txs.splice(at, 1);
}

/** Keeps the first `count` transactions; answers those cut off. */
export function cutTail(account: PoolAccount, count: number): readonly PooledTx[] {
  retreatTo(account, Math.min(account.executable, count));
  return account.txs.splice(count);
}

/**
 * Moves to a newer state of the sender. Answers the transactions that left: used nonces (`mined`) and those the
 * balance cannot pay even alone (`unaffordable`). Call `extend` afterwards.
 */
export function moveState(
  account: PoolAccount,
  stateNonce: bigint,
  balanceWei: bigint,
): { readonly mined: readonly PooledTx[]; readonly unaffordable: readonly PooledTx[] } {
  const used = positionOf(account, stateNonce);
  const mined = account.txs.slice(0, used);
  const rest = account.txs.slice(used);
  const unaffordable = rest.filter((tx) => txCostWei(tx) > balanceWei);
  account.txs = unaffordable.length === 0 ? rest : rest.filter((tx) => txCostWei(tx) <= balanceWei);
  const stillExecutable = Math.max(0, account.executable - used);
  account.stateNonce = stateNonce;
  account.balanceWei = balanceWei;
  recount(account, stillExecutable);
  return { mined, unaffordable };
}

/** Lets further transactions become executable; answers them in nonce order. */
export function extend(account: PoolAccount): readonly PooledTx[] {
  const from = account.executable;
  advance(account, account.txs.length);
  return from === account.executable ? [] : account.txs.slice(from, account.executable);
}

/** Counts anew how many of at most the first `limit` transactions can run. */
function recount(account: PoolAccount, limit: number): void {
  account.executable = 0;
  account.executableCostWei = 0n;
  advance(account, limit);
}

function advance(account: PoolAccount, limit: number): void {
  while (account.executable < limit) {
    const tx = account.txs[account.executable];
    if (tx === undefined || tx.nonce !== nextNonce(account)) return;
    const costWei = account.executableCostWei + txCostWei(tx);
    if (costWei > account.balanceWei) return;
    account.executableCostWei = costWei;
    account.executable += 1;
  }
}

function retreatTo(account: PoolAccount, count: number): void {
  while (account.executable > count) {
    account.executable -= 1;
    const tx = account.txs[account.executable];
    if (tx !== undefined) account.executableCostWei -= txCostWei(tx);
  }
}

function shrink(account: PoolAccount): void {
  while (account.executable > 0 && account.executableCostWei > account.balanceWei) {
    retreatTo(account, account.executable - 1);
  }
}
