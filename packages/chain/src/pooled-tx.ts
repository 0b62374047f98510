/** Owns the shape of one pooled transaction; not the pool's rules. */
import type { Admitted } from "@cairn/native";

/** An admitted transaction waiting in the pool. Fees in wei per gas; for legacy ones cap = tip = gas price. */
export interface PooledTx extends Omit<Admitted, "ok" | "senderNonce" | "senderBalanceWei"> {
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
