/**
 * Bitcoin's transaction tree: double SHA-256, a level's odd last node is paired with itself. Knows its two traps: inner
 * nodes that look like 64-byte transactions (CVE-2017-12842, see `inclusion.ts`) and duplicated tails (CVE-2012-2459).
 */
import { concatBytes } from "./byte-writer.ts";
import { sha256d } from "./hash.ts";
import { equalBytes } from "./hex.ts";

/** No block holds 2^17 transactions of the least size; deeper branches are refused. */
export const MAX_BRANCH_DEPTH = 17;

/** Root over txids in internal order. Throws RangeError for none. */
export function merkleRoot(txids: readonly Uint8Array[]): Uint8Array {
  let level = txids;
  while (level.length > 1) level = parents(level);
  const root = level[0];
  if (root === undefined) throw new RangeError("a block has at least one transaction");
  return root;
}

/** Whether some level pairs two equal nodes that both stand in the list: the same root has another list. */
export function hasDuplicatePair(txids: readonly Uint8Array[]): boolean {
  let level = txids;
  while (level.length > 1) {
    for (let i = 0; i + 1 < level.length; i += 2) {
      const [left, right] = [level[i], level[i + 1]];
      if (left !== undefined && right !== undefined && equalBytes(left, right)) return true;
    }
    level = parents(level);
  }
  return false;
}

/** Siblings of one transaction from the leaf up. Throws RangeError for an index outside the list. */
export function merkleBranch(txids: readonly Uint8Array[], index: number): Uint8Array[] {
  if (!Number.isInteger(index) || index < 0 || index >= txids.length) throw new RangeError("index outside the block");
  const branch: Uint8Array[] = [];
  let level = txids;
  for (let at = index; level.length > 1; at >>= 1) {
    const sibling = level[at ^ 1] ?? level[at];
    if (sibling !== undefined) branch.push(sibling);
    level = parents(level);
  }
  return branch;
}

/**
 * Folds a txid with its siblings to the root it claims. Undefined (a false branch) when it is deeper than
 * `MAX_BRANCH_DEPTH`, the index does not fit its depth, a left sibling equals its node, or a node that was last on one
 * level is not last on the levels above (CVE-2012-2459).
 */
export function foldBranch(id: Uint8Array, index: number, branch: readonly Uint8Array[]): Uint8Array | undefined {
  if (branch.length > MAX_BRANCH_DEPTH) return undefined;
  if (!Number.isInteger(index) || index < 0 || index >= 2 ** branch.length) return undefined;
  let node = id;
  let last = false;
  for (const [level, sibling] of branch.entries()) {
    const isRight = ((index >> level) & 1) === 1;
    const same = equalBytes(node, sibling);
    if (isRight && same) return undefined;
    if (!isRight && last && !same) return undefined;
    last = last || (!isRight && same);
    node = isRight ? sha256d(concatBytes(sibling, node)) : sha256d(concatBytes(node, sibling));
  }
  return node;
}

function parents(level: readonly Uint8Array[]): Uint8Array[] {
  const above: Uint8Array[] = [];
  for (let i = 0; i < level.length; i += 2) {
    const left = level[i];
    if (left !== undefined) above.push(sha256d(concatBytes(left, level[i + 1] ?? left)));
  }
  return above;
}
