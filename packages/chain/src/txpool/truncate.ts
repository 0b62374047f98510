/** Owns the limits over many senders (geth's truncatePending and truncateQueue), kept once per batch of changes. */
import { cutTail, type PoolAccount } from "./pool-account.ts";
import { changeAccount, leaveTxs, type PoolChanges, type TxPool } from "./txpool.ts";

/** Brings the pool back within its limits. */
export function truncatePool(pool: TxPool, changes: PoolChanges): void {
  if (pool.pending > pool.limits.globalSlots) truncatePending(pool, changes);
  if (pool.byHash.size - pool.pending > pool.limits.globalQueue) truncateQueue(pool, changes);
}

const queuedOf = (account: PoolAccount): number => account.txs.length - account.executable;

function cut(pool: TxPool, account: PoolAccount, count: number, changes: PoolChanges): void {
  changeAccount(pool, account, changes, () => {
    leaveTxs(pool, cutTail(account, count), "truncated", changes);
  });
}

/** Lowers the biggest senders to one common height, never below the guaranteed slots; their later nonces go too. */
function truncatePending(pool: TxPool, changes: PoolChanges): void {
  const { accountSlots, globalSlots } = pool.limits;
  const offenders = [...pool.accounts.values()].filter(
    (account) => account.executable > accountSlots && !pool.locals.has(account.address),
  );
  const others = pool.pending - offenders.reduce((sum, account) => sum + account.executable, 0);
  const fits = (height: number) =>
    others + offenders.reduce((sum, account) => sum + Math.min(account.executable, height), 0) <= globalSlots;
  let low = accountSlots;
  let high = offenders.reduce((most, account) => Math.max(most, account.executable), accountSlots);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  for (const account of offenders) {
    if (account.executable > low) cut(pool, account, low, changes);
  }
}

/** Empties the queues of the senders silent for longest, each from its highest nonce. */
function truncateQueue(pool: TxPool, changes: PoolChanges): void {
  let excess = pool.byHash.size - pool.pending - pool.limits.globalQueue;
  const silentFirst = [...pool.accounts.values()]
    .filter((account) => queuedOf(account) > 0 && !pool.locals.has(account.address))
    .sort((a, b) => a.heartbeatMs - b.heartbeatMs);
  for (const account of silentFirst) {
    if (excess <= 0) return;
    const dropped = Math.min(excess, queuedOf(account));
    cut(pool, account, account.txs.length - dropped, changes);
    excess -= dropped;
  }
}
