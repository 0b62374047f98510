/** The core against noble's arithmetic: simulated proofs of toy keys on both curves, valid and damaged. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { verifyProofs } from "./facade.ts";
import { toyEnvelope } from "./testing/toy-envelope.ts";
import {
  type Affine,
  type Random,
  seededRandom,
  type ToyCurve,
  type ToyProof,
  toyCurves,
} from "./testing/toy-groth16.ts";

const SEED = 0x9e3779b97f4a7c15n;
const INPUT_COUNTS = [0, 1, 5];
const PROOFS_PER_KEY = 11;
/** Wider numbers are no inputs by their length alone. */
const INPUT_BITS = 256;
/** Each costs noble a point's equation. */
const FLIPS_PER_PROOF = 26;

for (const curve of toyCurves) {
  test(`${curve.name}: every verdict is noble's`, async () => {
    const random = seededRandom(SEED);
    const cases = INPUT_COUNTS.flatMap((inputCount) => {
      const key = curve.key(random, inputCount);
      const proofs = Array.from({ length: PROOFS_PER_KEY }, () =>
        curve.prove(
          random,
          key,
          Array.from({ length: inputCount }, () => random(256) % curve.r),
        ),
      );
      const outside = curve.outside(random, 1);
      const outsideB = curve.outside(random, 2);
      return proofs.flatMap((proof, index) => {
        const other = proofs[(index + 1) % proofs.length] ?? proof;
        const damaged: ToyProof[] = [
          { ...proof, b: outsideB },
          { ...proof, inputs: proof.inputs.map((value, i) => (i === 0 ? value + curve.r : value)) },
          { ...proof, inputs: [...proof.inputs, 0n] },
          ...(outside === undefined ? [] : [{ ...proof, c: outside }]),
          ...Array.from({ length: FLIPS_PER_PROOF }, () => flipped(curve, random, proof)),
          // Judged by a pairing each.
          ...[false, true].map((both) => ({
            ...proof,
            a: curve.negate(proof.a),
            ...(both && { b: curve.negate(proof.b) }),
          })),
          index % 2 === 0 ? { ...proof, c: other.c } : { ...proof, inputs: other.inputs, a: undefined },
        ];
        return [proof, ...damaged].map((item) => ({ key, item }));
      });
    });
    const found = await verifyProofs(
      cases.map(({ key, item }, i) => toyEnvelope(curve, key, item, i % 2 === 0 ? "snarkjs-json" : "gnark-json")),
    );
    const counts = new Map<string, number>();
    for (const [index, { key, item }] of cases.entries()) {
      const verdict = found[index];
      const code = verdict?.ok ? "valid" : (verdict?.code ?? "none");
      assert.equal(code, curve.judge(key, item), `case ${index}`);
      counts.set(code, (counts.get(code) ?? 0) + 1);
    }
    assert.ok(cases.length > 1_000, `${cases.length}`);
    for (const code of ["valid", "invalid-proof", "not-on-curve", "not-in-subgroup", "input-out-of-field"]) {
      assert.ok((counts.get(code) ?? 0) > 10, `${code}: ${counts.get(code)}`);
    }
  });
}

/** One bit of one number is another. */
function flipped(curve: ToyCurve, random: Random, proof: ToyProof): ToyProof {
  const flip = (limbs: readonly bigint[], bits = curve.coordinateBits) => {
    const at = Number(random(32) % BigInt(limbs.length));
    const bit = 1n << (random(32) % BigInt(bits));
    return limbs.map((limb, i) => (i === at ? limb ^ bit : limb));
  };
  const flipPoint = (point: Affine): Affine =>
    point && (random(1) === 0n ? { ...point, x: flip(point.x) } : { ...point, y: flip(point.y) });
  const part = random(32) % (proof.inputs.length === 0 ? 3n : 4n);
  if (part === 0n) return { ...proof, a: flipPoint(proof.a) };
  if (part === 1n) return { ...proof, b: flipPoint(proof.b) };
  if (part === 2n) return { ...proof, c: flipPoint(proof.c) };
  return { ...proof, inputs: flip(proof.inputs, INPUT_BITS) };
}
