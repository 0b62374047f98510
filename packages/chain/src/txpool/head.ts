/**
 * Owns what a committed block, a failed dry run and the passing of time do to the pool. Which senders changed is read
 * from the state by the caller and passed in.
 */
import type { Address, Hash } from "@cairn/primitives";
import { cutTail, moveState, type PoolAccount, removeTx } from "./pool-account.ts";
import { changeAccount, leaveTxs, type PoolChanges, type TxPool } from "./txpool.ts";

/** State of one account at the head. */
export interface AccountAtHead {
  readonly address: Address;
  readonly nonce: bigint;
  readonly balanceWei: bigint;
}

/** Moves one pooled sender to its state at the head. */
export function moveAccount(
  pool: TxPool,
  account: PoolAccount,
  nonce: bigint,
  balanceWei: bigint,
  changes: PoolChanges,
): void {
  if (account.stateNonce === nonce && account.balanceWei === balanceWei) return;
  changeAccount(pool, account, changes, () => {
    const { mined, unaffordable } = moveState(account, nonce, balanceWei);
    leaveTxs(pool, mined, "mined", changes);
    leaveTxs(pool, unaffordable, "unaffordable", changes);
  });
}

/** Takes in a committed block: the new states of pooled senders. */
export function stepHead(pool: TxPool, accounts: readonly AccountAtHead[], changes: PoolChanges): void {
  pool.evictions = 0;
  recheck(pool, accounts, changes);
}

/** Takes in newer states of senders without a block. */
export function recheck(pool: TxPool, accounts: readonly AccountAtHead[], changes: PoolChanges): void {
  for (const { address, nonce, balanceWei } of accounts) {
    const account = pool.accounts.get(address);
    if (account !== undefined) moveAccount(pool, account, nonce, balanceWei, changes);
  }
}

/** Drops a transaction that stays refused by the dry run although it should run. */
export function dropUnexecutable(pool: TxPool, hash: Hash, changes: PoolChanges): void {
  const tx = pool.byHash.get(hash);
  const account = tx === undefined ? undefined : pool.accounts.get(tx.sender);
  if (tx === undefined || account === undefined) return;
  changeAccount(pool, account, changes, () => removeTx(account, tx.nonce));
  leaveTxs(pool, [tx], "unexecutable", changes);
}

/** Drops queued transactions of senders that were silent for the lifetime. */
export function expireQueued(pool: TxPool, nowMs: number, changes: PoolChanges): void {
  for (const account of pool.accounts.values()) {
    if (nowMs - account.heartbeatMs <= pool.limits.lifetimeMs) continue;
    if (account.txs.length === account.executable || pool.locals.has(account.address)) continue;
    changeAccount(pool, account, changes, () => {
      leaveTxs(pool, cutTail(account, account.executable), "expired", changes);
    });
  }
}
