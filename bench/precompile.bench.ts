/**
 * `VerifyProofs` as a block runs it, on real batches, without an engine: processor time and gas per proof. Each round
 * has its slots in another order, so that no verdict is remembered.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildGenesis } from "@cairn/chain";
import { VERIFY_PROOFS_ADDRESS } from "@cairn/contracts";
import { type Native, openNative, type ProofVerdict, verifyProofs } from "@cairn/native";
import { hexToBytes } from "@cairn/primitives";
import { encodeVerifyProofsInput, recordV1, SYSTEM_TAGS, type VerifySlot } from "@cairn/proofs";
import { proofData } from "../test/vectors.ts";
import { round } from "./load.ts";
import { validCases } from "./valid-cases.ts";

const SIZES = [1, 32, 256, 512];
const ROUNDS = 5;
const GAS = 1_000_000_000n;

type Valid = Extract<ProofVerdict, { readonly ok: true }>;

/** Milliseconds of processor time per proof, all threads counted, and gas per proof, by curve and batch. */
export async function precompile(record: (name: string, figures: object) => void): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), "cairn-bench-"));
  const owner = "0x0000000000000000000000000000000000000001";
  const o = { timestampSeconds: 1_700_000_000n, gasLimit: GAS, owner, validators: [], balances: {} } as const;
  const native = await openNative({ dir, genesis: JSON.stringify(buildGenesis(o)) });
  for (const curve of ["bn254", "bls12-381"] as const) {
    const proofs = await validProofs(curve);
    const cpu_ms: Record<string, number> = {};
    const gas: Record<string, number> = {};
    for (const size of SIZES) {
      const measured = await batches(native, proofs, size);
      cpu_ms[size] = measured.cpuMs;
      gas[size] = measured.gas;
    }
    record("precompile", { curve, cpu_ms, gas });
  }
  await native.close();
  rmSync(dir, { recursive: true, force: true });
}

async function validProofs(curve: string): Promise<readonly Valid[]> {
  const verdicts = await verifyProofs(validCases(curve, "snarkjs-json").map(proofData));
  return verdicts.filter((verdict): verdict is Valid => verdict.ok && verdict.kind === "proof");
}

async function batches(native: Native, proofs: readonly Valid[], size: number) {
  const rounds = Math.max(ROUNDS, Math.round(64 / size));
  let gas = 0n;
  let micros = 0;
  for (let i = 0; i <= rounds; i += 1) {
    const input = batchOf(proofs, size, i);
    const before = process.cpuUsage();
    const done = await native.call({ to: VERIFY_PROOFS_ADDRESS, data: input, block: 0n, gas: GAS, gasCap: GAS });
    const { user, system } = process.cpuUsage(before);
    if (!done.ok) throw new Error(`the batch was not verified: ${done.code}`);
    gas = done.gasUsed;
    // The first one prepares the keys.
    if (i > 0) micros += user + system;
  }
  return { cpuMs: round(micros / 1000 / rounds / size), gas: Math.round(Number(gas) / size) };
}

function batchOf(proofs: readonly Valid[], size: number, turn: number): Uint8Array {
  const keyIds = [...new Set(proofs.map(({ vkHash }) => vkHash))];
  const keys = keyIds.map((hash) => {
    const { system, curve, canonicalKey } = proofs.find(({ vkHash }) => vkHash === hash) as Valid;
    return { systemTag: SYSTEM_TAGS[`${system}/${curve}` as keyof typeof SYSTEM_TAGS], key: canonicalKey };
  });
  const slots = Array.from({ length: size }, (_, i): VerifySlot => {
    const proof = proofs[(i + turn) % proofs.length] as Valid;
    const { system, curve, encoding, version, canonicalProof, publicInputs } = proof;
    const hashes = { vkHash: hexToBytes(proof.vkHash), publicInputsHash: hexToBytes(proof.publicInputsHash) };
    const salt = new Uint8Array(32).fill(turn);
    const place = { chainId: "bench", blockNumber: BigInt(i), salt };
    return {
      ...{ kind: "proof", keyIndex: keyIds.indexOf(proof.vkHash), payerIndex: null, priceWei: 0n },
      ...{ proof: canonicalProof, publicInputs },
      record: recordV1({ kind: "proof", system, curve, encoding, version, ...hashes, ...place }),
    };
  });
  return encodeVerifyProofsInput({ keys, payerCount: 0, slots });
}
