/** The proof cases: those made for this set live here; with CAIRN_VECTORS the third parties' are read too. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../tools/stages.ts";

export interface ProofCase {
  readonly id: string;
  readonly system: string;
  readonly curve?: string;
  readonly encoding: string;
  readonly expected: string;
  readonly alsoAccepted?: readonly string[];
  readonly proof: unknown;
  readonly publicInputs?: unknown;
  readonly vk?: unknown;
  readonly vkHash?: string;
}

const FILE = "groth16-snarkjs-json-bn254.jsonl";

/** All cases that are at hand, and whether the third parties' are among them. */
export function groth16Cases(): { readonly cases: readonly ProofCase[]; readonly complete: boolean } {
  const folder = process.env.CAIRN_VECTORS;
  const complete = folder === undefined ? undefined : join(folder, "proofs/cases", FILE);
  const file = complete !== undefined && existsSync(complete) ? complete : join(ROOT, "test/vectors/proofs", FILE);
  const lines = readFileSync(file, "utf8").trim().split("\n");
  return { cases: lines.map((line) => JSON.parse(line)), complete: file === complete };
}

/** The envelope that goes into `proof_data`. */
export function proofData(item: ProofCase): string {
  const { system, curve, encoding, proof, publicInputs, vk, vkHash } = item;
  return JSON.stringify({ system, curve, encoding, proof, publicInputs, vk, vkHash });
}
