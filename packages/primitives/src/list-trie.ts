/**
 * Owns the Merkle-Patricia trie over a list, keyed by rlp(index): `transactionsRoot` and `receiptsRoot`, and proofs
 * that an item is in one. Checking such a proof is in trie-proof.ts; the state trie is the Rust core's.
 */
import { keccak256 } from "./hash.ts";
import { commonPrefix, encodePath, toNibbles } from "./nibbles.ts";
import { bigintToBytes } from "./quantity.ts";
import { type RlpValue, rlpEncode } from "./rlp.ts";

interface Entry {
  readonly path: Uint8Array;
  readonly value: Uint8Array;
}

/** Called with the encoding of each node on the way from the leaf up to the root. */
type Visit = (encoded: Uint8Array, entries: readonly Entry[]) => void;

const EMPTY = new Uint8Array(0);

/** Root of the trie without entries: keccak(rlp(empty)). */
export function emptyTrieRoot(): Uint8Array {
  return keccak256(rlpEncode(EMPTY));
}

/** Key of the item at `index`: rlp(index). */
export function listKey(index: number): Uint8Array {
  return rlpEncode(bigintToBytes(BigInt(index)));
}

function comparePaths(a: Entry, b: Entry): number {
  const at = commonPrefix(a.path, b.path, 0);
  return (a.path[at] ?? -1) - (b.path[at] ?? -1);
}

function sortedEntries(items: readonly Uint8Array[]): Entry[] {
  return items.map((value, index) => ({ path: toNibbles(listKey(index)), value })).sort(comparePaths);
}

function reference(node: RlpValue, entries: readonly Entry[], visit: Visit): RlpValue {
  const encoded = rlpEncode(node);
  if (encoded.length < 32) return node;
  visit(encoded, entries);
  return keccak256(encoded);
}

function branch(entries: readonly Entry[], depth: number, visit: Visit): RlpValue {
  const children: RlpValue[] = [];
  let start = 0;
  // Keys rlp(index) are prefix-free, so no entry ends at a branch and its value stays empty.
  for (let nibble = 0; nibble < 16; nibble++) {
    let end = start;
    while (entries[end]?.path[depth] === nibble) end++;
    const child = entries.slice(start, end);
    children.push(child.length === 0 ? EMPTY : reference(buildNode(child, depth + 1, visit), child, visit));
    start = end;
  }
  return [...children, EMPTY];
}

function buildNode(entries: readonly Entry[], depth: number, visit: Visit): RlpValue {
  const first = entries[0];
  const last = entries[entries.length - 1];
  if (first === undefined || last === undefined) return EMPTY;
  if (entries.length === 1) return [encodePath(first.path.subarray(depth), true), first.value];
  // Sorted: what the first and the last share, all share.
  const shared = commonPrefix(first.path, last.path, depth);
  if (shared === 0) return branch(entries, depth, visit);
  const below = reference(branch(entries, depth + shared, visit), entries, visit);
  return [encodePath(first.path.subarray(depth, depth + shared), false), below];
}

/** Root of the trie of a list (transactions as EIP-2718 bytes, or receipts): 32 bytes. */
export function listTrieRoot(items: readonly Uint8Array[]): Uint8Array {
  return keccak256(rlpEncode(buildNode(sortedEntries(items), 0, () => undefined)));
}

/** Nodes, root first, that prove item `index` under `listTrieRoot(items)`. Throws `RangeError` outside the list. */
export function listTrieProof(items: readonly Uint8Array[], index: number): Uint8Array[] {
  if (!Number.isInteger(index) || index < 0 || index >= items.length) throw new RangeError("no item of that index");
  const entries = sortedEntries(items);
  const path = toNibbles(listKey(index));
  const isTarget = (entry: Entry): boolean =>
    entry.path.length === path.length && commonPrefix(entry.path, path, 0) === path.length;
  const nodes: Uint8Array[] = [];
  const root = buildNode(entries, 0, (encoded, covered) => {
    if (covered.some(isTarget)) nodes.push(encoded);
  });
  nodes.push(rlpEncode(root));
  return nodes.reverse();
}
