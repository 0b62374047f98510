/** Made-up submissions and verdicts for tests of storing; their proofs are never verified. */
import { createHash } from "node:crypto";
import { bytesToHex, type Hash } from "@cairn/primitives";
import { canonicalChainId } from "../intake.ts";
import type { Verdict } from "../ports.ts";
import type { Inserted, InsertOutcome, NewSubmission } from "../store.ts";

/** SHA-256 of a text as 0x-hex. */
export function hashOf(text: string): Hash {
  return bytesToHex(createHash("sha256").update(text).digest());
}

/** A submission whose id follows from its text. */
export function sampleSubmission(text: string, o: Partial<NewSubmission> = {}): NewSubmission {
  const chainId = o.chainId ?? "Test-1";
  return {
    id: hashOf(`id ${text}`),
    account: "sandbox",
    chainId,
    chainKey: canonicalChainId(chainId),
    blockNumber: "7",
    source: "",
    proofData: text,
    externalId: undefined,
    metadata: undefined,
    reorgOf: undefined,
    evidence: undefined,
    ...o,
  };
}

/** An outcome that must be a stored submission. */
export function stored(outcome: InsertOutcome | undefined): Inserted {
  if (outcome === undefined || !("submission" in outcome)) throw new Error(`not stored: ${outcome?.outcome}`);
  return outcome;
}

/** A verdict for a proof of the statement `statement`. */
export function sampleVerdict(proof: string, statement = proof): Verdict {
  return {
    ok: true,
    kind: "proof",
    system: "groth16",
    curve: "bn254",
    encoding: "snarkjs-json",
    version: "",
    vkHash: hashOf("key"),
    publicInputsHash: hashOf(statement),
    proofHash: hashOf(proof),
    canonicalProof: new TextEncoder().encode(proof),
    canonicalKey: new Uint8Array(100),
    publicInputs: new Uint8Array(32),
  };
}
