/** The proof cases: those made for this set live here; with CAIRN_VECTORS the third parties' are read too. */
import { readdirSync, readFileSync } from "node:fs";
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

const OWN = join(ROOT, "test/vectors/proofs");

/** All Groth16 cases that are at hand, each once, and whether the third parties' are among them. */
export function groth16Cases(): { readonly cases: readonly ProofCase[]; readonly complete: boolean } {
  const { CAIRN_VECTORS: elsewhere } = process.env;
  const folders = elsewhere === undefined ? [OWN] : [OWN, join(elsewhere, "proofs/cases")];
  const cases = new Map<string, ProofCase>();
  for (const folder of folders) {
    for (const name of readdirSync(folder).filter((file) => /^groth16-.*\.jsonl$/.test(file))) {
      for (const line of readFileSync(join(folder, name), "utf8").trim().split("\n")) {
        const item: ProofCase = JSON.parse(line);
        cases.set(item.id, item);
      }
    }
  }
  return { cases: [...cases.values()], complete: elsewhere !== undefined };
}

/** The envelope that goes into `proof_data`. */
export function proofData(item: ProofCase): string {
  const { system, curve, encoding, proof, publicInputs, vk, vkHash } = item;
  return JSON.stringify({ system, curve, encoding, proof, publicInputs, vk, vkHash });
}
