/**
 * Verification without a chain: processor time per proof alone and in batches, beside snarkjs in the same run. Every
 * proof of a batch is distinct work: verdicts are not remembered.
 */
import { verifyProofs } from "@cairn/native";
import { groth16 } from "snarkjs";
import { type ProofCase, proofData } from "../test/vectors.ts";
import { round } from "./load.ts";
import { validCases } from "./valid-cases.ts";

const SIZES = [1, 32, 512, 4096];
const ENCODINGS = [
  ["bn254", "snarkjs-json"],
  ["bn254", "gnark-binary"],
  ["bls12-381", "snarkjs-json"],
  ["bls12-381", "gnark-binary"],
] as const;
const SNARKJS_ROUNDS = 20;

/** Milliseconds of processor time per proof, all threads counted, by curve, encoding and batch. */
export async function verification(record: (name: string, figures: object) => void): Promise<void> {
  for (const [curve, encoding] of ENCODINGS) {
    const valid = validCases(curve, encoding);
    if (valid.length === 0) continue;
    const texts = valid.map(proofData);
    const cpu_ms: Record<string, number> = {};
    for (const size of SIZES) cpu_ms[size] = await ours(texts, size);
    const beside = encoding === "snarkjs-json" ? { snarkjs_cpu_ms: await theirs(valid) } : {};
    record("verification", { curve, encoding, cpu_ms, ...beside });
  }
}

async function ours(texts: readonly string[], size: number): Promise<number> {
  const items = Array.from({ length: size }, (_, i) => texts[i % texts.length] ?? "");
  await verifyProofs(items);
  const rounds = Math.max(1, Math.round(512 / size));
  const before = process.cpuUsage();
  for (let i = 0; i < rounds; i += 1) {
    const verdicts = await verifyProofs(items);
    if (!verdicts.every(({ ok }) => ok)) throw new Error("a valid proof was refused");
  }
  return perProof(before, rounds * size);
}

async function theirs(valid: readonly ProofCase[]): Promise<number> {
  const verify = (item: ProofCase) => groth16.verify(item.vk, item.publicInputs, item.proof);
  await verify(valid[0] as ProofCase);
  const before = process.cpuUsage();
  for (let i = 0; i < SNARKJS_ROUNDS; i += 1) {
    if (!(await verify(valid[i % valid.length] as ProofCase))) throw new Error("snarkjs refused a valid proof");
  }
  const figure = perProof(before, SNARKJS_ROUNDS);
  await endWorkers();
  return figure;
}

/** snarkjs keeps its workers under these global names. */
async function endWorkers(): Promise<void> {
  const kept = globalThis as Readonly<Record<string, unknown>> as Readonly<
    Record<string, { terminate?(): Promise<void> }>
  >;
  for (const name of ["curve_bn128", "curve_bls12381"]) await kept[name]?.terminate?.();
}

function perProof(before: NodeJS.CpuUsage, proofs: number): number {
  const { user, system } = process.cpuUsage(before);
  return round((user + system) / 1000 / proofs);
}
