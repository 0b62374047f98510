/** What the service verifies and prices: names as an envelope has them. */

/** Systems with their curves, the one meant where none is named first. A commitment has none. */
export const proofSystems = {
  groth16: ["bn254", "bls12-381"],
  commitment: [],
} as const satisfies Record<string, readonly string[]>;

/** Name of a system. */
export type ProofSystem = keyof typeof proofSystems;

/** Is this text a system's name? */
export function isProofSystem(text: string): text is ProofSystem {
  return Object.hasOwn(proofSystems, text);
}
