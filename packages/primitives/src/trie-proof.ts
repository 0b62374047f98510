/**
 * Owns checking Merkle-Patricia proofs: `eth_getProof`'s account and storage proofs and proofs over lists. A proof is
 * the nodes from the root down; each must be the one that its parent names, and none may be left over.
 */
import { keccak256 } from "./hash.ts";
import { equalBytes } from "./hex.ts";
import { emptyTrieRoot, listKey } from "./list-trie.ts";
import { decodePath, toNibbles } from "./nibbles.ts";
import { RlpError, type RlpValue, rlpDecode } from "./rlp.ts";

/** `value` `null`: proven that the key is absent. */
export type TrieProofOutcome = { readonly ok: true; readonly value: Uint8Array | null } | { readonly ok: false };

const FALSE: TrieProofOutcome = { ok: false };

type Step =
  | { readonly kind: "descend"; readonly reference: RlpValue; readonly depth: number }
  | { readonly kind: "end"; readonly value: Uint8Array | null };

function valueOrNull(value: RlpValue | undefined): Step | undefined {
  if (!(value instanceof Uint8Array)) return undefined;
  return { kind: "end", value: value.length === 0 ? null : value };
}

function throughPath(node: readonly RlpValue[], path: Uint8Array, depth: number): Step | undefined {
  const [encodedPath, below] = node;
  if (!(encodedPath instanceof Uint8Array) || below === undefined) return undefined;
  const part = decodePath(encodedPath);
  if (part === undefined) return undefined;
  const matches = equalBytes(part.nibbles, path.subarray(depth, depth + part.nibbles.length));
  if (part.leaf) {
    return matches && depth + part.nibbles.length === path.length ? valueOrNull(below) : { kind: "end", value: null };
  }
  if (part.nibbles.length === 0) return undefined;
  return matches
    ? { kind: "descend", reference: below, depth: depth + part.nibbles.length }
    : { kind: "end", value: null };
}

function throughNode(node: RlpValue, path: Uint8Array, depth: number): Step | undefined {
  if (node instanceof Uint8Array) return node.length === 0 ? { kind: "end", value: null } : undefined;
  if (node.length === 2) return throughPath(node, path, depth);
  if (node.length !== 17) return undefined;
  const nibble = path[depth];
  if (nibble === undefined) return valueOrNull(node[16]);
  const reference = node[nibble];
  return reference === undefined ? undefined : { kind: "descend", reference, depth: depth + 1 };
}

function walk(root: Uint8Array, path: Uint8Array, proof: readonly Uint8Array[]): TrieProofOutcome {
  let used = 0;
  let reference: RlpValue = root;
  let depth = 0;
  for (;;) {
    let node: RlpValue = reference;
    if (reference instanceof Uint8Array && reference.length === 32) {
      const encoded = proof[used++];
      if (encoded === undefined || !equalBytes(keccak256(encoded), reference)) return FALSE;
      node = rlpDecode(encoded);
    }
    const step = throughNode(node, path, depth);
    if (step === undefined) return FALSE;
    if (step.kind === "end") return used === proof.length ? { ok: true, value: step.value } : FALSE;
    ({ reference, depth } = step);
  }
}

/**
 * Checks that `proof` (nodes, root first) shows the value at `key`, or that there is none, under `root`. `key` is the
 * path as the trie uses it: already hashed for accounts and storage.
 */
export function verifyTrieProof(root: Uint8Array, key: Uint8Array, proof: readonly Uint8Array[]): TrieProofOutcome {
  if (root.length !== 32) return FALSE;
  if (proof.length === 0) return equalBytes(root, emptyTrieRoot()) ? { ok: true, value: null } : FALSE;
  try {
    return walk(root, toNibbles(key), proof);
  } catch (error) {
    if (error instanceof RlpError) return FALSE;
    throw error;
  }
}

/** The item at `index` of the list with this trie root; `undefined` when the proof does not show one. */
export function verifyListProof(root: Uint8Array, index: number, proof: readonly Uint8Array[]): Uint8Array | undefined {
  if (!Number.isSafeInteger(index) || index < 0) return undefined;
  const outcome = verifyTrieProof(root, listKey(index), proof);
  return outcome.ok && outcome.value !== null ? outcome.value : undefined;
}
