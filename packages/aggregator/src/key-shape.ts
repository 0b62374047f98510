/** What a canonical Groth16 key says of itself: its counts, read without looking at any point (docs/formats.md). */

/** Bytes of a canonical G1 point; a G2 point has twice as many. */
const G1_BYTES: Readonly<Record<string, number>> = { bn254: 64, "bls12-381": 128 };

/** Counts of a key. */
export interface KeyShape {
  /** Public inputs of a proof. */
  readonly publicInputs: number;
  /** Pedersen commitments of a proof. */
  readonly commitments: number;
}

/** Bytes of a canonical G1 point of a curve; undefined: no curve of Groth16. */
export function g1Bytes(curve: string): number | undefined {
  return Object.hasOwn(G1_BYTES, curve) ? G1_BYTES[curve] : undefined;
}

/** The counts of a canonical key; zeros where the bytes are none. */
export function keyShape(curve: string, key: Uint8Array): KeyShape {
  const g1 = g1Bytes(curve);
  const view = new DataView(key.buffer, key.byteOffset, key.byteLength);
  const countAt = (offset: number): number => (offset + 4 <= key.length ? view.getUint32(offset) : 0);
  if (g1 === undefined) return { publicInputs: 0, commitments: 0 };
  const points = countAt(0);
  const commitments = countAt(4 + 7 * g1 + points * g1);
  return { publicInputs: Math.max(0, points - 1 - commitments), commitments };
}

/** Pedersen commitments of a canonical proof, by its length. */
export function proofCommitments(curve: string, proofBytes: number): number {
  const g1 = g1Bytes(curve);
  if (g1 === undefined) return 0;
  return Math.max(0, Math.floor((proofBytes - 4 * g1 - 4) / g1) - 1);
}
