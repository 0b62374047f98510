/** Owns the pool's bounds and their defaults; where an operator sets them is the node's. */

/** Bounds of the transaction pool, after geth's legacy pool. A slot is 32 KiB of one transaction. */
export interface PoolLimits {
  /** Executable transactions a sender keeps when the pool has too many. */
  readonly accountSlots: number;
  /** Executable transactions in all. */
  readonly globalSlots: number;
  /** Transactions of one sender that cannot run yet. */
  readonly accountQueue: number;
  /** Transactions that cannot run yet in all. */
  readonly globalQueue: number;
  /** Transactions that cannot run yet are dropped when their sender sent nothing for so long. */
  readonly lifetimeMs: number;
  /** Least rise of both fee fields of a replacement, in percent. */
  readonly priceBump: bigint;
  /** Least tip in wei per gas, where the node's minimum gas price asks for none or less. */
  readonly priceLimitWei: bigint;
}

/** geth's numbers, with room for 50,000 executable transactions. */
export const DEFAULT_POOL_LIMITS: PoolLimits = {
  accountSlots: 16,
  globalSlots: 50_000,
  accountQueue: 64,
  globalQueue: 10_000,
  lifetimeMs: 3 * 60 * 60 * 1000,
  priceBump: 10n,
  priceLimitWei: 0n,
};

const SLOT_BYTES = 32 * 1024;

/** Slots a transaction of `size` bytes takes. */
export const slotsOf = (size: number): number => Math.max(1, Math.ceil(size / SLOT_BYTES));
