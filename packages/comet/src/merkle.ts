/**
 * CometBFT's Merkle tree (RFC 6962 hashing): leaf = SHA-256(00 ‖ data), inner = SHA-256(01 ‖ left ‖ right), split at
 * the largest power of two below the count; no leaves = SHA-256 of nothing.
 */
import { EMPTY } from "./bytes.ts";
import { CometError } from "./error.ts";
import { type Sha256, sha256 } from "./sha256.ts";

/** Inclusion proof of one leaf; `aunts` from the leaf's sibling up. */
export interface MerkleProof {
  readonly total: number;
  readonly index: number;
  readonly leafHash: Uint8Array;
  readonly aunts: readonly Uint8Array[];
}

/** Hash of one leaf. */
export function merkleLeafHash(leaf: Uint8Array, hash: Sha256 = sha256): Uint8Array {
  const input = new Uint8Array(leaf.length + 1);
  input.set(leaf, 1);
  return hash(input);
}

function innerHash(left: Uint8Array, right: Uint8Array, hash: Sha256): Uint8Array {
  const input = new Uint8Array(65);
  input[0] = 1;
  input.set(left, 1);
  input.set(right, 33);
  return hash(input);
}

function splitPoint(count: number): number {
  let split = 1;
  while (split * 2 < count) split *= 2;
  return split;
}

function rangeRoot(hashes: readonly Uint8Array[], from: number, to: number, hash: Sha256): Uint8Array {
  if (to - from <= 1) return hashes[from] ?? hash(EMPTY);
  const middle = from + splitPoint(to - from);
  return innerHash(rangeRoot(hashes, from, middle, hash), rangeRoot(hashes, middle, to, hash), hash);
}

/** Root over leaves that are hashed already. */
export function merkleRootOfHashes(leafHashes: readonly Uint8Array[], hash: Sha256 = sha256): Uint8Array {
  return rangeRoot(leafHashes, 0, leafHashes.length, hash);
}

/** Root over leaves. */
export function merkleRoot(leaves: readonly Uint8Array[], hash: Sha256 = sha256): Uint8Array {
  return merkleRootOfHashes(
    leaves.map((leaf) => merkleLeafHash(leaf, hash)),
    hash,
  );
}

/** Inclusion proof of `leaves[index]`. Throws CometError `invalid-value` when there is no such leaf. */
export function merkleProof(leaves: readonly Uint8Array[], index: number, hash: Sha256 = sha256): MerkleProof {
  const hashes = leaves.map((leaf) => merkleLeafHash(leaf, hash));
  const leafHash = hashes[index];
  if (leafHash === undefined) throw new CometError("invalid-value", `no leaf ${index} among ${leaves.length}`);
  const aunts: Uint8Array[] = [];
  let from = 0;
  let to = hashes.length;
  while (to - from > 1) {
    const middle = from + splitPoint(to - from);
    const goLeft = index < middle;
    aunts.push(goLeft ? rangeRoot(hashes, middle, to, hash) : rangeRoot(hashes, from, middle, hash));
    if (goLeft) to = middle;
    else from = middle;
  }
  return { total: leaves.length, index, leafHash, aunts: aunts.reverse() };
}

/** The root a proof leads to, or undefined when its shape does not fit its index and total. */
export function merkleProofRoot(proof: MerkleProof, hash: Sha256 = sha256): Uint8Array | undefined {
  if (!Number.isSafeInteger(proof.index) || proof.index < 0 || proof.index >= proof.total) return undefined;
  if (proof.leafHash.length !== 32 || proof.aunts.some((aunt) => aunt.length !== 32)) return undefined;
  const sides: boolean[] = [];
  let from = 0;
  let to = proof.total;
  while (to - from > 1) {
    const middle = from + splitPoint(to - from);
    const goLeft = proof.index < middle;
    sides.push(goLeft);
    if (goLeft) to = middle;
    else from = middle;
  }
  if (sides.length !== proof.aunts.length) return undefined;
  return proof.aunts.reduce((node, aunt, level) => {
    const isLeft = sides[sides.length - 1 - level] === true;
    return isLeft ? innerHash(node, aunt, hash) : innerHash(aunt, node, hash);
  }, proof.leafHash);
}
