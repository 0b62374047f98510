/** Owns the choice and order of a proposal's transactions: fees first, nonces ascending per sender. Changes nothing. */
import { effectiveTipWei, type PooledTx } from "../pooled-tx.ts";
import { type Before, heapify, heapPop, heapReplace } from "./heap.ts";
import type { PoolAccount } from "./pool-account.ts";
import type { TxPool } from "./txpool.ts";

/** Bounds of one proposal. */
export interface SelectLimits {
  /** Base fee of the block to build, in wei per gas. */
  readonly baseFeeWei: bigint;
  /** Sum of gas limits. */
  readonly maxGas: bigint;
  /** Sum of the transactions' sizes inside the protobuf message `Data`, in bytes. */
  readonly maxBytes: bigint;
}

const LEAST_TX_GAS = 21_000n;

interface Turn {
  readonly account: PoolAccount;
  readonly index: number;
  readonly tx: PooledTx;
  readonly tipWei: bigint;
}

/** Size of a transaction as one element of CometBFT's `Data.txs`: tag, length, bytes. */
export function protobufSize(bytes: number): number {
  let lengthBytes = 1;
  for (let rest = bytes; rest >= 0x80; rest = Math.floor(rest / 0x80)) lengthBytes++;
  return 1 + lengthBytes + bytes;
}

/** The executable transactions the next block takes, dearest tip first, the older one first among equals. */
export function select(pool: TxPool, limits: SelectLimits): readonly PooledTx[] {
  const turns: Turn[] = [];
  for (const account of pool.accounts.values()) {
    const turn = turnOf(pool, account, 0, limits.baseFeeWei);
    if (turn !== undefined) turns.push(turn);
  }
  heapify(turns, isBetter);
  const chosen: PooledTx[] = [];
  let gas = limits.maxGas;
  let bytes = limits.maxBytes;
  while (gas >= LEAST_TX_GAS) {
    const turn = turns[0];
    if (turn === undefined) break;
    const size = BigInt(protobufSize(turn.tx.size));
    const fits = turn.tx.gas <= gas && size <= bytes;
    if (fits) {
      chosen.push(turn.tx);
      gas -= turn.tx.gas;
      bytes -= size;
    }
    const next = fits ? turnOf(pool, turn.account, turn.index + 1, limits.baseFeeWei) : undefined;
    if (next === undefined) heapPop(turns, isBetter);
    else heapReplace(turns, next, isBetter);
  }
  return chosen;
}

/** Whether `select` would choose anything for a block of the full gas limit. */
export function hasSelectable(pool: TxPool, baseFeeWei: bigint): boolean {
  for (const account of pool.accounts.values()) {
    if (turnOf(pool, account, 0, baseFeeWei) !== undefined) return true;
  }
  return false;
}

function turnOf(pool: TxPool, account: PoolAccount, index: number, baseFeeWei: bigint): Turn | undefined {
  if (index >= account.executable) return undefined;
  const tx = account.txs[index];
  if (tx === undefined) return undefined;
  const tipWei = effectiveTipWei(tx, baseFeeWei);
  return tipWei < pool.minTipWei || tipWei < 0n ? undefined : { account, index, tx, tipWei };
}

const isBetter: Before<Turn> = (left, right) =>
  left.tipWei === right.tipWei ? left.tx.addedMs < right.tx.addedMs : left.tipWei > right.tipWei;
