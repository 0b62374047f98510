/** Transactions and pools for tests of the pool's rules: numbered senders, small numbers, no signatures. */
import type { Address } from "@cairn/primitives";
import type { PooledTx } from "../pooled-tx.ts";
import { addTx } from "../txpool/add.ts";
import { DEFAULT_POOL_LIMITS, type PoolLimits } from "../txpool/limits.ts";
import { truncatePool } from "../txpool/truncate.ts";
import { createTxPool, noChanges, type PoolChanges, type TxPool } from "../txpool/txpool.ts";

/** The address of a numbered sender. */
export const addressOf = (sender: number): Address => `0x${sender.toString(16).padStart(40, "0")}`;
let serial = 0;

/** When the newest transaction came, in the clock of `txOf`. */
export const newestMs = (): number => serial;

/** A transaction of a numbered sender with a hash of its own; its time of arrival is its serial number. */
export function txOf(
  o: {
    sender?: number;
    nonce?: number;
    cap?: number;
    tip?: number;
    value?: number;
    size?: number;
    authorities?: readonly number[];
  } = {},
): PooledTx {
  const { sender = 1, nonce = 0, cap = 100, tip = cap, value = 0, size = 110, authorities = [] } = o;
  serial++;
  return {
    hash: `0x${serial.toString(16).padStart(64, "0")}`,
    type: 2,
    sender: addressOf(sender),
    to: addressOf(99),
    nonce: BigInt(nonce),
    gas: 21_000n,
    maxFeePerGasWei: BigInt(cap),
    maxPriorityFeePerGasWei: BigInt(tip),
    valueWei: BigInt(value),
    authorities: authorities.map(addressOf),
    size,
    raw: new Uint8Array(0),
    addedMs: serial,
  };
}

/** A balance that pays for everything here, in wei. */
export const RICH = 10n ** 18n;

/** Adds and truncates as the pool's owner does; answers `ok` or the code. */
export function add(
  pool: TxPool,
  tx: PooledTx,
  state: { nonce?: bigint; balance?: bigint; delegated?: boolean; changes?: PoolChanges } = {},
) {
  const { nonce = 0n, balance = RICH, delegated = false, changes = noChanges() } = state;
  const outcome = addTx(
    pool,
    { tx, senderNonce: nonce, senderBalanceWei: balance, senderDelegated: delegated },
    changes,
  );
  truncatePool(pool, changes);
  return outcome.ok ? "ok" : outcome.code;
}

/** An empty pool: the default limits but for those given. */
export function poolOf(limits: Partial<PoolLimits> = {}, minTipWei = 0n): TxPool {
  return createTxPool({ ...DEFAULT_POOL_LIMITS, ...limits }, minTipWei);
}

/** The nonces in order. */
export const noncesOf = (txs: readonly PooledTx[]) => txs.map((tx) => Number(tx.nonce));
