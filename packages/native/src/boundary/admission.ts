/** Whether raw bytes are an admissible transaction, and what admission read of its sender. */
import type { Address, Hash } from "@cairn/primitives";

/** Why bytes are no admissible transaction, whatever the state. */
export type AdmitCode =
  | "undecodable"
  | "unsupported-type"
  | "wrong-chain-id"
  | "unprotected"
  | "invalid-signature"
  | "intrinsic-gas"
  | "floor-gas"
  | "gas-above-block-limit"
  | "initcode-too-large"
  | "tip-above-fee-cap"
  | "oversized"
  | "empty-authorization-list";

/** A transaction that may be executed some day, with its sender's account at the head. */
export interface Admitted {
  readonly ok: true;
  readonly hash: Hash;
  readonly type: 0 | 1 | 2 | 4;
  readonly sender: Address;
  readonly to: Address | null;
  readonly nonce: bigint;
  readonly gas: bigint;
  readonly maxFeePerGasWei: bigint;
  readonly maxPriorityFeePerGasWei: bigint;
  readonly valueWei: bigint;
  /** Encoded length in bytes. */
  readonly size: number;
  /** Of the sender at head. */
  readonly senderNonce: bigint;
  readonly senderBalanceWei: bigint;
  /** Who signed its authorizations (EIP-7702), each once. */
  readonly authorities: readonly Address[];
}

/** `have` and `want` are the numbers a message needs (gas, chain ids, sizes in bytes), where the code has any. */
export interface NotAdmitted {
  readonly ok: false;
  readonly code: AdmitCode;
  readonly have?: bigint;
  readonly want?: bigint;
}

/** What admission found of raw bytes. */
export type AdmitOutcome = Admitted | NotAdmitted;
