/**
 * Toy Groth16 on noble's curves, for tests: keys whose trapdoor is known, proofs simulated with it, and a verdict by
 * noble's arithmetic. Independent of the native core.
 */
import { bls12_381 } from "@noble/curves/bls12-381.js";
import { bn254 } from "@noble/curves/bn254.js";

/** Coordinates of a point; undefined is infinity. G1 has one number each, G2 c0 and c1. */
export type Affine = { readonly x: readonly bigint[]; readonly y: readonly bigint[] } | undefined;

/** A proof with its inputs, as numbers that may be anything. */
export interface ToyProof {
  readonly a: Affine;
  readonly b: Affine;
  readonly c: Affine;
  readonly inputs: readonly bigint[];
}

/** A key and its trapdoor. */
export interface ToyKey {
  readonly alpha: Affine;
  readonly beta: Affine;
  readonly gamma: Affine;
  readonly delta: Affine;
  readonly ic: readonly Affine[];
  readonly trapdoor: {
    readonly alpha: bigint;
    readonly beta: bigint;
    readonly gamma: bigint;
    readonly delta: bigint;
    readonly ic: readonly bigint[];
  };
}

/** Random numbers of the given number of bits, the same for the same seed. */
export type Random = (bits: number) => bigint;

/** xorshift64*. */
export function seededRandom(seed: bigint): Random {
  let state = seed;
  const next = (): bigint => {
    state ^= state >> 12n;
    state = BigInt.asUintN(64, state ^ (state << 25n));
    state ^= state >> 27n;
    return BigInt.asUintN(64, state * 0x2545f4914f6cdd1dn);
  };
  return (bits) => {
    let value = 0n;
    for (let have = 0; have < bits; have += 64) value = (value << 64n) | next();
    return BigInt.asUintN(bits, value);
  };
}

/** One of the curves. */
export interface ToyCurve {
  readonly name: "bn254" | "bls12-381";
  readonly p: bigint;
  readonly r: bigint;
  readonly coordinateBits: number;
  key(random: Random, inputCount: number): ToyKey;
  /** A valid proof of the given inputs. */
  prove(random: Random, key: ToyKey, inputs: readonly bigint[]): ToyProof;
  negate(point: Affine): Affine;
  /** On the curve of the group, outside its subgroup; undefined where there is no such point. */
  outside(random: Random, group: 1 | 2): Affine;
  /** The class of the verdict, in the order in which faults are looked for. */
  judge(key: ToyKey, proof: ToyProof): string;
}

/** BN254 and BLS12-381. */
export const toyCurves: readonly ToyCurve[] = [curveOf("bn254"), curveOf("bls12-381")];

type Fp2 = { readonly c0: bigint; readonly c1: bigint };

function curveOf(name: ToyCurve["name"]): ToyCurve {
  const noble = name === "bn254" ? bn254 : bls12_381;
  const { Fp, Fp2, Fp12, Fr } = noble.fields;
  const G1 = noble.G1.Point;
  const G2 = noble.G2.Point;
  const b1 = name === "bn254" ? 3n : 4n;
  const xi = Fp2.fromBigTuple(name === "bn254" ? [9n, 1n] : [1n, 1n]);
  const b2 = name === "bn254" ? Fp2.div(Fp2.fromBigTuple([3n, 0n]), xi) : Fp2.mul(xi, 4n);
  const pair = (limbs: readonly bigint[]): Fp2 => Fp2.fromBigTuple([limbs[0] ?? 0n, limbs[1] ?? 0n]);
  const fromG1 = (scalar: bigint): Affine => {
    if (scalar === 0n) return undefined;
    const { x, y } = G1.BASE.multiply(scalar).toAffine();
    return { x: [x], y: [y] };
  };
  const fromG2 = (scalar: bigint): Affine => {
    if (scalar === 0n) return undefined;
    const { x, y } = G2.BASE.multiply(scalar).toAffine();
    return { x: [x.c0, x.c1], y: [y.c0, y.c1] };
  };
  const toG1 = (point: Affine) =>
    point === undefined ? G1.ZERO : G1.fromAffine({ x: point.x[0] ?? 0n, y: point.y[0] ?? 0n });
  const toG2 = (point: Affine) =>
    point === undefined ? G2.ZERO : G2.fromAffine({ x: pair(point.x), y: pair(point.y) });
  const isOnG1 = (point: Affine): boolean => {
    const [x, y] = [point?.x[0], point?.y[0]];
    return x === undefined || y === undefined || Fp.eql(Fp.sqr(y), Fp.add(Fp.mul(Fp.sqr(x), x), b1));
  };
  const isOnG2 = (point: Affine): boolean => {
    if (point === undefined) return true;
    const x = pair(point.x);
    return Fp2.eql(Fp2.sqr(pair(point.y)), Fp2.add(Fp2.mul(Fp2.sqr(x), x), b2));
  };
  const isInG1 = (point: ReturnType<typeof toG1>): boolean =>
    point.is0() || point.multiplyUnsafe(Fr.ORDER - 1n).equals(point.negate());
  const isInG2 = (point: ReturnType<typeof toG2>): boolean =>
    point.is0() || point.multiplyUnsafe(Fr.ORDER - 1n).equals(point.negate());
  const random = (source: Random): bigint => Fr.create(source(320));
  return {
    name,
    p: Fp.ORDER,
    r: Fr.ORDER,
    coordinateBits: name === "bn254" ? 254 : 381,
    key: (source, inputCount) => {
      const [alpha, beta, gamma, delta] = [random(source), random(source), random(source), random(source)];
      const ic = Array.from({ length: inputCount + 1 }, () => random(source));
      return {
        alpha: fromG1(alpha),
        beta: fromG2(beta),
        gamma: fromG2(gamma),
        delta: fromG2(delta),
        ic: ic.map(fromG1),
        trapdoor: { alpha, beta, gamma, delta, ic },
      };
    },
    prove: (source, { trapdoor: t }, inputs) => {
      const [a, b] = [random(source), random(source)];
      const l = t.ic.reduce((sum, k, i) => Fr.add(sum, Fr.mul(k, i === 0 ? 1n : (inputs[i - 1] ?? 0n))), 0n);
      const rest = Fr.sub(Fr.sub(Fr.mul(a, b), Fr.mul(t.alpha, t.beta)), Fr.mul(l, t.gamma));
      return { a: fromG1(a), b: fromG2(b), c: fromG1(Fr.div(rest, t.delta)), inputs };
    },
    negate: (point) => point && { x: point.x, y: point.y.map((limb) => Fp.neg(limb)) },
    outside: (source, group) => {
      if (group === 1 && name === "bn254") return undefined;
      for (;;) {
        const [c0, c1] = [Fp.create(source(500)), Fp.create(source(500))];
        try {
          if (group === 1) return { x: [c0], y: [Fp.sqrt(Fp.add(Fp.mul(Fp.sqr(c0), c0), b1))] };
          const x = pair([c0, c1]);
          const y = Fp2.sqrt(Fp2.add(Fp2.mul(Fp2.sqr(x), x), b2));
          return { x: [c0, c1], y: [y.c0, y.c1] };
        } catch {
          // No square root: another x.
        }
      }
    },
    judge: (key, proof) => {
      const points = [proof.a, proof.b, proof.c];
      const coordinates = points.flatMap((point) => (point ? [...point.x, ...point.y] : []));
      if (coordinates.some((value) => value >= Fp.ORDER)) return "malformed";
      if (proof.inputs.length !== key.ic.length - 1) return "wrong-input-count";
      if (proof.inputs.some((value) => value >= Fr.ORDER)) return "input-out-of-field";
      if (!isOnG1(proof.a) || !isOnG2(proof.b) || !isOnG1(proof.c)) return "not-on-curve";
      const [a, b, c] = [toG1(proof.a), toG2(proof.b), toG1(proof.c)];
      // On BN254 every point of the curve is in G1.
      const ofG1 = name === "bn254" ? [] : [a, c];
      if (!ofG1.every(isInG1) || !isInG2(b)) return "not-in-subgroup";
      const inputs = proof.inputs.reduce(
        (sum, input, i) => (input === 0n ? sum : sum.add(toG1(key.ic[i + 1]).multiplyUnsafe(input))),
        toG1(key.ic[0]),
      );
      const pairs = [
        { g1: a, g2: b },
        { g1: toG1(key.alpha).negate(), g2: toG2(key.beta) },
        { g1: inputs.negate(), g2: toG2(key.gamma) },
        { g1: c.negate(), g2: toG2(key.delta) },
      ].filter(({ g1, g2 }) => !g1.is0() && !g2.is0());
      return Fp12.eql(noble.pairingBatch(pairs), Fp12.ONE) ? "valid" : "invalid-proof";
    },
  };
}
