/**
 * Gas of a settlement. The prices of `VerifyProofs` are consensus rules (`native/crates/zk/src/precompile/gas.rs`, held
 * together by the vectors of `test/vectors/verify-proofs`); here they only size batches and gas limits, with room on
 * top: a limit too low costs an attempt, never a proof.
 */
import type { StatementKind } from "@cairn/proofs";
import { g1Bytes, proofCommitments } from "./key-shape.ts";

interface CurvePrices {
  readonly key: number;
  readonly icPoint: number;
  readonly commitmentKey: number;
  readonly proof: number;
  readonly publicInput: number;
  readonly commitment: number;
}

const BN254: CurvePrices = {
  key: 150_000,
  icPoint: 1_000,
  commitmentKey: 90_000,
  proof: 60_000,
  publicInput: 2_000,
  commitment: 20_000,
};
const BLS12_381: CurvePrices = {
  key: 250_000,
  icPoint: 5_000,
  commitmentKey: 150_000,
  proof: 95_000,
  publicInput: 4_000,
  commitment: 40_000,
};
const BASE = 3_000;
const PER_SLOT = 2_000;
const PER_INPUT_BYTE = 2;
const WORD_BYTES = 32;

const TRANSACTION = 21_000;
/** A byte of call data that is not zero, and its share of copying. */
const PER_BATCH_BYTE = 18;
/** EIP-7623: a transaction pays at least this per byte that is not zero. */
const FLOOR_PER_BATCH_BYTE = 40;
/** The hub's own work, and its memory for the largest batch. */
const HUB = 1_500_000;
/** The vault's work for a payer in the worst case (new storage, a log), its address in the call, its sums. */
const PER_PAYER = 75_000;
/** A call passes on 63 of 64 parts of its gas (EIP-150); the rest is room. */
const VERIFICATION_ROOM = 1.05;

function pricesOf(curve: string): CurvePrices {
  return curve === "bn254" ? BN254 : BLS12_381;
}

/** Price of one slot in the precompile, apart from its bytes. */
export function slotGas(o: {
  readonly kind: StatementKind;
  readonly curve: string;
  readonly proofBytes: number;
  readonly publicInputsBytes: number;
}): number {
  if (o.kind === "commitment") return PER_SLOT;
  const prices = pricesOf(o.curve);
  const inputs = Math.ceil(o.publicInputsBytes / WORD_BYTES);
  const commitments = proofCommitments(o.curve, o.proofBytes);
  return PER_SLOT + prices.proof + inputs * prices.publicInput + commitments * prices.commitment;
}

/** Price of one key in the precompile, apart from its bytes. */
export function keyGas(o: { readonly curve: string; readonly keyBytes: number; readonly commitments: number }): number {
  const prices = pricesOf(o.curve);
  const points = Math.floor(o.keyBytes / (g1Bytes(o.curve) ?? 1));
  return prices.key + points * prices.icPoint + o.commitments * prices.commitmentKey;
}

/** Price of a call of the precompile whose slots and keys cost `verificationGas`; nobody pays on chain. */
export function precompileGas(o: { readonly batchBytes: number; readonly verificationGas: number }): number {
  return BASE + o.batchBytes * PER_INPUT_BYTE + o.verificationGas;
}

/** Gas limit of a settlement whose slots and keys cost `verificationGas` and that charges so many payers. */
export function settlementGasLimit(o: {
  readonly batchBytes: number;
  readonly verificationGas: number;
  readonly payers: number;
}): number {
  const execution = HUB + o.payers * PER_PAYER + Math.ceil(precompileGas(o) * VERIFICATION_ROOM);
  const standard = execution + o.batchBytes * PER_BATCH_BYTE;
  return TRANSACTION + Math.max(standard, HUB + o.batchBytes * FLOOR_PER_BATCH_BYTE);
}
