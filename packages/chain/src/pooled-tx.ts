/** Owns the shape of one pooled transaction; not the pool's rules. */
import type { Address, Hash } from "@cairn/primitives";

/** An admitted transaction waiting in the pool. Fees in wei per gas; for legacy ones cap = tip = gas price. */
export interface PooledTx {
  readonly hash: Hash;
  readonly type: 0 | 1 | 2 | 4;
  readonly sender: Address;
  /** `null`: contract creation. */
  readonly to: Address | null;
  readonly nonce: bigint;
  readonly gas: bigint;
  readonly maxFeePerGasWei: bigint;
  readonly maxPriorityFeePerGasWei: bigint;
  readonly valueWei: bigint;
  /** Who signed its authorizations (EIP-7702), each once. */
  readonly authorities: readonly Address[];
  /** Encoded length in bytes. */
  readonly size: number;
  /** The EIP-2718 bytes: what consensus carries. */
  readonly raw: Uint8Array;
  /** Milliseconds since 1970 when the pool took it. */
  readonly addedMs: number;
}

/** Most the transaction can cost its sender, in wei: gas limit × fee cap + value. */
export const txCostWei = (tx: PooledTx): bigint => tx.gas * tx.maxFeePerGasWei + tx.valueWei;

/** What a transaction pays its proposer per gas over `baseFeeWei`; negative when it cannot run at that base fee. */
export function effectiveTipWei(
  tx: Pick<PooledTx, "maxFeePerGasWei" | "maxPriorityFeePerGasWei">,
  baseFeeWei: bigint,
): bigint {
  const room = tx.maxFeePerGasWei - baseFeeWei;
  if (room < tx.maxPriorityFeePerGasWei) return room;
  return tx.maxPriorityFeePerGasWei;
}
