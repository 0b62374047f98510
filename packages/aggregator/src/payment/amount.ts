/** Comparing amounts of wei, for which `Math` has no words. */

/** The smaller one. */
export function least(a: bigint, b: bigint): bigint {
  return a - b < 0n ? a : b;
}

/** The larger one. */
export function most(a: bigint, b: bigint): bigint {
  return a - b < 0n ? b : a;
}
