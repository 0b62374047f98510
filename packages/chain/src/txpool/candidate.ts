/** Owns the shape of what enters the pool; not the rules of entering. */
import type { PooledTx } from "../pooled-tx.ts";

/** A transaction to add with its sender's state at the head the pool stands on. */
export interface Candidate {
  readonly tx: PooledTx;
  readonly senderNonce: bigint;
  readonly senderBalanceWei: bigint;
  /** Whether the sender has code: a delegation (EIP-7702). */
  readonly senderDelegated: boolean;
}
