/** What the benchmarks use of snarkjs, which ships no types. */
declare module "snarkjs" {
  export const groth16: { verify(vk: unknown, publicInputs: unknown, proof: unknown): Promise<boolean> };
}
