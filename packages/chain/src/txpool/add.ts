/**
 * Owns taking one admitted transaction into the pool (geth's legacy pool: checks, replacement, eviction). What the
 * bytes mean was settled by the native admission before.
 */

import { type PooledTx, txCostWei } from "../pooled-tx.ts";
import type { Accepted, PoolRefusal } from "../submission.ts";
import type { Candidate } from "./candidate.ts";
import { checkDelegation } from "./delegation.ts";
import { moveAccount } from "./head.ts";
import { heapPop, heapPush } from "./heap.ts";
import { slotsOf } from "./limits.ts";
import { createPoolAccount, nextNonce, type PoolAccount, placeTx, removeTx, txAt } from "./pool-account.ts";
import { changeAccount, enterTx, isCheaper, leaveTxs, type PoolChanges, type TxPool } from "./txpool.ts";

/** Adds one transaction. Limits that concern many senders are kept by `truncatePool`, once per batch. */
export function addTx(pool: TxPool, candidate: Candidate, changes: PoolChanges): Accepted | PoolRefusal {
  const { tx, senderNonce, senderBalanceWei } = candidate;
  if (pool.byHash.has(tx.hash)) return { ok: false, code: "already-known", hash: tx.hash };
  const known = pool.accounts.get(tx.sender);
  if (known !== undefined) moveAccount(pool, known, senderNonce, senderBalanceWei, changes);
  const account =
    pool.accounts.get(tx.sender) ?? createPoolAccount(tx.sender, senderNonce, senderBalanceWei, tx.addedMs);
  const refusal = checkSender(pool, account, candidate) ?? makeRoom(pool, account, tx, changes);
  if (refusal !== undefined) return refusal;

  let old: PooledTx | undefined;
  pool.accounts.set(account.address, account);
  changeAccount(pool, account, changes, () => {
    account.heartbeatMs = tx.addedMs;
    old = placeTx(account, tx);
    if (old !== undefined) leaveTxs(pool, [old], "replaced", changes);
    enterTx(pool, tx);
  });
  return { ok: true, hash: tx.hash, ...(old === undefined ? {} : { replaced: old.hash }) };
}

function checkSender(pool: TxPool, account: PoolAccount, candidate: Candidate): PoolRefusal | undefined {
  const { tx } = candidate;
  if (tx.maxPriorityFeePerGasWei < pool.minTipWei) {
    return { ok: false, code: "below-minimum", minimumWei: pool.minTipWei, gotWei: tx.maxPriorityFeePerGasWei };
  }
  if (tx.nonce < account.stateNonce) {
    return { ok: false, code: "nonce-too-low", next: account.stateNonce, got: tx.nonce };
  }
  const old = txAt(account, tx.nonce);
  const refusal = checkFunds(account, tx, old) ?? checkDelegation(pool, account, candidate);
  if (refusal !== undefined) return refusal;
  if (old !== undefined && !outbids(tx, old, pool.limits.priceBump)) {
    return { ok: false, code: "replacement-underpriced", pooled: old.hash };
  }
  return undefined;
}

/** The balance must pay the transaction, and with it the executable ones it joins. */
function checkFunds(account: PoolAccount, tx: PooledTx, old: PooledTx | undefined): PoolRefusal | undefined {
  const costWei = txCostWei(tx);
  const balanceWei = account.balanceWei;
  const code = "insufficient-funds";
  if (costWei > balanceWei) {
    return { ok: false, code, balanceWei, costWei, pooledWei: 0n, overshotWei: costWei - balanceWei };
  }
  const next = nextNonce(account);
  if (tx.nonce > next) return undefined;
  const replacedWei = tx.nonce < next && old !== undefined ? txCostWei(old) : 0n;
  const pooledWei = account.executableCostWei - replacedWei;
  const overshotWei = pooledWei + costWei - balanceWei;
  return overshotWei > 0n ? { ok: false, code, balanceWei, costWei, pooledWei, overshotWei } : undefined;
}

function outbids(tx: PooledTx, old: PooledTx, bumpPercent: bigint): boolean {
  const enough = (fee: bigint, oldFee: bigint) => fee > oldFee && fee >= (oldFee * (100n + bumpPercent)) / 100n;
  return (
    enough(tx.maxFeePerGasWei, old.maxFeePerGasWei) && enough(tx.maxPriorityFeePerGasWei, old.maxPriorityFeePerGasWei)
  );
}

/** Evicts cheaper transactions until `tx` fits; evicts nothing when it refuses. */
function makeRoom(pool: TxPool, account: PoolAccount, tx: PooledTx, changes: PoolChanges): PoolRefusal | undefined {
  const { globalSlots, globalQueue } = pool.limits;
  const old = txAt(account, tx.nonce);
  const freed = old === undefined ? 0 : slotsOf(old.size);
  const excess = pool.slots - freed + slotsOf(tx.size) - globalSlots - globalQueue;
  if (excess <= 0) return undefined;
  const { victims, refusal = churnRefusal(pool) } = pickVictims(pool, account, tx, excess);
  if (refusal !== undefined) {
    for (const victim of victims) heapPush(pool.byPrice, victim, isCheaper);
    return refusal;
  }
  pool.evictions += victims.length;
  for (const victim of victims) evict(pool, victim, changes);
  return undefined;
}

/** Between two blocks a quarter of the pool may be evicted: more only makes work. */
function churnRefusal({ evictions, limits }: TxPool): PoolRefusal | undefined {
  return evictions > limits.globalSlots / 4 ? { ok: false, code: "pool-full" } : undefined;
}

interface Victims {
  readonly victims: readonly PooledTx[];
  readonly refusal?: PoolRefusal;
}

function pickVictims(pool: TxPool, account: PoolAccount, tx: PooledTx, excess: number): Victims {
  const victims: PooledTx[] = [];
  const spared: PooledTx[] = [];
  const done = (refusal?: PoolRefusal): Victims => {
    for (const local of spared) heapPush(pool.byPrice, local, isCheaper);
    return refusal === undefined ? { victims } : { victims, refusal };
  };
  const isFuture = tx.nonce > nextNonce(account);
  for (let missing = excess; missing > 0; ) {
    const cheapest = heapPop(pool.byPrice, isCheaper);
    if (cheapest === undefined) return done({ ok: false, code: "pool-full" });
    if (pool.byHash.get(cheapest.hash) !== cheapest) continue;
    if (pool.locals.has(cheapest.sender)) {
      spared.push(cheapest);
      continue;
    }
    victims.push(cheapest);
    const refusal = mayEvict(pool, cheapest, tx, isFuture);
    if (refusal !== undefined) return done(refusal);
    missing -= slotsOf(cheapest.size);
  }
  return done();
}

function mayEvict(pool: TxPool, victim: PooledTx, tx: PooledTx, isFuture: boolean): PoolRefusal | undefined {
  const isDearEnough = pool.locals.has(tx.sender) || isCheaper(victim, tx);
  if (victim.sender === tx.sender || !isDearEnough) return { ok: false, code: "underpriced" };
  const holder = pool.accounts.get(victim.sender);
  if (isFuture && holder !== undefined && victim.nonce < nextNonce(holder)) {
    return { ok: false, code: "future-replaces-pending" };
  }
  return undefined;
}

function evict(pool: TxPool, victim: PooledTx, changes: PoolChanges): void {
  const account = pool.accounts.get(victim.sender);
  if (account === undefined) return;
  changeAccount(pool, account, changes, () => removeTx(account, victim.nonce));
  leaveTxs(pool, [victim], "evicted", changes);
}
