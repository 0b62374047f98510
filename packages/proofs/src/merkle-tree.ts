/** The tree of RFC 6962 over leaf hashes: SHA-256, inner node H(0x01 ‖ left ‖ right), largest power of two left. */
import { concatBytes, equalBytes, sha256 } from "@cairn/primitives";

const NODE = Uint8Array.of(1);

/** One step of a path: the sibling and the side it stands on. */
export interface PathStep {
  readonly sibling: Uint8Array;
  readonly side: "left" | "right";
}

/** Most leaves of a tree: sizes are u32. */
export const MAX_TREE_SIZE = 2 ** 32 - 1;

/** H(0x01 ‖ left ‖ right). */
export function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  return sha256(concatBytes(NODE, left, right));
}

/** Root over leaf hashes. Throws RangeError for none. */
export function merkleRoot(leaves: readonly Uint8Array[]): Uint8Array {
  let level = leaves;
  while (level.length > 1) level = parents(level);
  const root = level[0];
  if (root === undefined) throw new RangeError("a tree has at least one leaf");
  return root;
}

/** Siblings of one leaf from the leaf up. Throws RangeError for an index outside the tree. */
export function merklePath(leaves: readonly Uint8Array[], index: number): Uint8Array[] {
  if (!Number.isInteger(index) || index < 0 || index >= leaves.length) throw new RangeError("index outside the tree");
  const path: Uint8Array[] = [];
  let level = leaves;
  for (let at = index; level.length > 1; at = Math.floor(at / 2)) {
    // A lone last node has no sibling on its level: it moves up as it is.
    const sibling = level[at ^ 1];
    if (sibling !== undefined) path.push(sibling);
    level = parents(level);
  }
  return path;
}

/** The sides of a path (RFC 9162, 2.1.3.2). Undefined when index, size and length of the path do not fit. */
export function pathSteps(o: {
  readonly index: number;
  readonly size: number;
  readonly path: readonly Uint8Array[];
}): PathStep[] | undefined {
  if (!Number.isInteger(o.size) || o.size < 1 || o.size > MAX_TREE_SIZE) return undefined;
  if (!Number.isInteger(o.index) || o.index < 0 || o.index >= o.size) return undefined;
  const steps: PathStep[] = [];
  let [node, last] = [o.index, o.size - 1];
  for (const sibling of o.path) {
    if (last === 0 || sibling.length !== 32) return undefined;
    const isRight = node % 2 === 1;
    if (isRight || node === last) {
      steps.push({ sibling, side: "left" });
      while (!isRight && node !== 0 && node % 2 === 0) [node, last] = [node >>> 1, last >>> 1];
    } else {
      steps.push({ sibling, side: "right" });
    }
    [node, last] = [node >>> 1, last >>> 1];
  }
  return last === 0 ? steps : undefined;
}

/** The root a path leads to; undefined when it does not fit index and size. */
export function foldPath(o: {
  readonly leaf: Uint8Array;
  readonly index: number;
  readonly size: number;
  readonly path: readonly Uint8Array[];
}): Uint8Array | undefined {
  return pathSteps(o)?.reduce(
    (node, { sibling, side }) => (side === "left" ? nodeHash(sibling, node) : nodeHash(node, sibling)),
    o.leaf,
  );
}

/** Whether `leaf` stands at `index` of the tree of `size` leaves with this root. */
export function verifyPath(o: {
  readonly leaf: Uint8Array;
  readonly index: number;
  readonly size: number;
  readonly path: readonly Uint8Array[];
  readonly root: Uint8Array;
}): boolean {
  const root = foldPath(o);
  return root !== undefined && equalBytes(root, o.root);
}

function parents(level: readonly Uint8Array[]): Uint8Array[] {
  const above: Uint8Array[] = [];
  for (let i = 0; i < level.length; i += 2) {
    const [left, right] = [level[i], level[i + 1]];
    if (left !== undefined) above.push(right === undefined ? left : nodeHash(left, right));
  }
  return above;
}
