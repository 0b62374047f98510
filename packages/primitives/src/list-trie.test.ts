import assert from "node:assert/strict";
import { test } from "node:test";
import { createMerkleProof, createMPT } from "@ethereumjs/mpt";
import fc from "fast-check";
import { keccak256 } from "./hash.ts";
import { emptyTrieRoot, listKey, listTrieProof, listTrieRoot } from "./list-trie.ts";
import { verifyListProof, verifyTrieProof } from "./trie-proof.ts";

const items = fc.array(fc.uint8Array({ minLength: 1, maxLength: 60 }), { maxLength: 40 });

async function oracleOf(list: readonly Uint8Array[]) {
  const trie = await createMPT();
  for (const [index, value] of list.entries()) await trie.put(listKey(index), value);
  return trie;
}

test("roots and proofs equal @ethereumjs/mpt", async () => {
  await fc.assert(
    fc.asyncProperty(items, fc.nat(), async (list, pick) => {
      const oracle = await oracleOf(list);
      const root = listTrieRoot(list);
      assert.deepEqual(root, oracle.root());
      if (list.length === 0) return;
      const index = pick % list.length;
      const proof = listTrieProof(list, index);
      const expected = await createMerkleProof(oracle, listKey(index));
      // The oracle repeats nodes shorter than a hash, which stand inside their parents.
      const isOwn = (node: Uint8Array, at: number): boolean => at === 0 || node.length >= 32;
      assert.deepEqual(proof, expected.filter(isOwn));
      assert.deepEqual(verifyListProof(root, index, proof), list[index]);
    }),
    { numRuns: 60 },
  );
});

test("a list of 400 items, past the two-byte keys", async () => {
  const list = Array.from({ length: 400 }, (_, i) => keccak256(Uint8Array.of(i >> 8, i & 255)));
  const root = listTrieRoot(list);
  assert.deepEqual(root, (await oracleOf(list)).root());
  for (const index of [0, 1, 127, 128, 255, 256, 399]) {
    assert.deepEqual(verifyListProof(root, index, listTrieProof(list, index)), list[index]);
    assert.equal(verifyListProof(root, index + 1, listTrieProof(list, index)), undefined);
  }
  assert.throws(() => listTrieProof(list, 400), RangeError);
});

test("any changed, missing or extra node makes a proof false", () => {
  const list = Array.from({ length: 200 }, (_, i) => keccak256(Uint8Array.of(i)));
  const root = listTrieRoot(list);
  const proof = listTrieProof(list, 77);
  fc.assert(
    fc.property(fc.nat(), fc.nat(), fc.integer({ min: 1, max: 255 }), (nodePick, bytePick, flip) => {
      const at = nodePick % proof.length;
      const changed = proof.map((node) => node.slice());
      const node = changed[at];
      assert.ok(node);
      const byte = bytePick % node.length;
      node[byte] = (node[byte] ?? 0) ^ flip;
      assert.equal(verifyListProof(root, 77, changed), undefined);
      assert.equal(verifyListProof(root, 77, proof.toSpliced(at, 1)), undefined);
      assert.equal(verifyListProof(root, 77, [...proof, node]), undefined);
    }),
  );
});

test("absence is proven, in the empty trie too", async () => {
  const trie = await createMPT();
  const keys = Array.from({ length: 50 }, (_, i) => keccak256(Uint8Array.of(i)));
  for (const key of keys) await trie.put(key, key);
  for (let i = 0; i < 60; i++) {
    const key = keccak256(Uint8Array.of(i));
    const proof = await createMerkleProof(trie, key);
    assert.deepEqual(verifyTrieProof(trie.root(), key, proof), { ok: true, value: i < 50 ? key : null });
  }
  assert.deepEqual(verifyTrieProof(emptyTrieRoot(), keccak256(Uint8Array.of(1)), []), { ok: true, value: null });
  assert.deepEqual(verifyTrieProof(trie.root(), keccak256(Uint8Array.of(1)), []), { ok: false });
});
