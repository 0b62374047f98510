/**
 * Gas of a settlement. The prices of `VerifyProofs` are consensus rules; here they only size batches and gas limits,
 * with room on top: a limit too low costs an attempt, never a proof.
 */
import type { StatementKind } from "@cairn/proofs";

const PER_KEY = 150_000;
const PER_IC_POINT = 1_000;
const PER_SLOT = 2_000;
const PER_PROOF = 60_000;
const PER_PUBLIC_INPUT = 6_000;
const POINT_BYTES = 64;
const WORD_BYTES = 32;

const TRANSACTION = 21_000;
/** A byte of call data that is not zero, and its share of copying and of the precompile's price per byte. */
const PER_BATCH_BYTE = 20;
/** EIP-7623: a transaction pays at least this per byte that is not zero. */
const FLOOR_PER_BATCH_BYTE = 40;
/** The hub's own work, and its memory for the largest batch. */
const HUB = 1_500_000;
/** The vault's work for a payer in the worst case (new storage, a log), its address in the call, its sums. */
const PER_PAYER = 75_000;
/** A call passes on 63 of 64 parts of its gas (EIP-150); the rest is room. */
const VERIFICATION_ROOM = 1.05;

/** Price of one slot in the precompile. */
export function slotGas(o: { readonly kind: StatementKind; readonly publicInputsBytes: number }): number {
  if (o.kind === "commitment") return PER_SLOT;
  return PER_SLOT + PER_PROOF + Math.ceil(o.publicInputsBytes / WORD_BYTES) * PER_PUBLIC_INPUT;
}

/** Price of one key in the precompile. */
export function keyGas(keyBytes: number): number {
  return PER_KEY + Math.ceil(keyBytes / POINT_BYTES) * PER_IC_POINT;
}

/** Gas limit of a settlement whose slots and keys cost `verificationGas` and that charges so many payers. */
export function settlementGasLimit(o: {
  readonly batchBytes: number;
  readonly verificationGas: number;
  readonly payers: number;
}): number {
  const execution = HUB + o.payers * PER_PAYER + Math.ceil(o.verificationGas * VERIFICATION_ROOM);
  const standard = execution + o.batchBytes * PER_BATCH_BYTE;
  return TRANSACTION + Math.max(standard, HUB + o.batchBytes * FLOOR_PER_BATCH_BYTE);
}
