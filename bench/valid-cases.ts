/** Real valid proofs to measure with. */
import { groth16Cases, type ProofCase } from "../test/vectors.ts";

/** Those of a curve and an encoding that bring their key themselves. */
export function validCases(curve: string, encoding: string): readonly ProofCase[] {
  const valid = groth16Cases().cases.filter((item) => item.expected === "valid" && item.vkHash === undefined);
  return valid.filter((item) => item.curve === curve && item.encoding === encoding);
}
