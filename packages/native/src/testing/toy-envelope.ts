/** Toy proofs and keys as snarkjs and gnark write them in JSON. */
import type { Affine, ToyCurve, ToyKey, ToyProof } from "./toy-groth16.ts";

/** The encodings written here. */
export type ToyEncoding = "snarkjs-json" | "gnark-json";

/** A submission of the proof with its key. */
export function toyEnvelope(curve: ToyCurve, key: ToyKey, proof: ToyProof, encoding: ToyEncoding): string {
  const parts = encoding === "snarkjs-json" ? snarkjs(key, proof) : gnark(key, proof);
  const publicInputs = proof.inputs.map(String);
  return JSON.stringify({ system: "groth16", curve: curve.name, encoding, ...parts, publicInputs });
}

function snarkjs(key: ToyKey, { a, b, c }: ToyProof): object {
  const g1 = (point: Affine) => (point ? [`${point.x[0]}`, `${point.y[0]}`, "1"] : ["0", "1", "0"]);
  const g2 = (point: Affine) =>
    point
      ? [point.x.map(String), point.y.map(String), ["1", "0"]]
      : [
          ["0", "0"],
          ["1", "0"],
          ["0", "0"],
        ];
  return {
    proof: { pi_a: g1(a), pi_b: g2(b), pi_c: g1(c), protocol: "groth16" },
    vk: {
      nPublic: key.ic.length - 1,
      vk_alpha_1: g1(key.alpha),
      vk_beta_2: g2(key.beta),
      vk_gamma_2: g2(key.gamma),
      vk_delta_2: g2(key.delta),
      IC: key.ic.map(g1),
    },
  };
}

function gnark(key: ToyKey, { a, b, c }: ToyProof): object {
  const g1 = (point: Affine) => (point ? { X: `${point.x[0]}`, Y: `${point.y[0]}` } : { X: 0, Y: 0 });
  const pair = (limbs: readonly bigint[]) => ({ A0: `${limbs[0]}`, A1: `${limbs[1]}` });
  const g2 = (point: Affine) => ({ X: pair(point?.x ?? [0n, 0n]), Y: pair(point?.y ?? [0n, 0n]) });
  return {
    proof: { Ar: g1(a), Bs: g2(b), Krs: g1(c), Commitments: [], CommitmentPok: { X: 0, Y: 0 } },
    vk: {
      G1: { Alpha: g1(key.alpha), K: key.ic.map(g1) },
      G2: { Beta: g2(key.beta), Gamma: g2(key.gamma), Delta: g2(key.delta) },
      PublicAndCommitmentCommitted: [],
    },
  };
}
