import assert from "node:assert/strict";
import { test } from "node:test";
import { sha256 as nobleSha256 } from "@noble/hashes/sha2.js";
import { keccak_256 } from "@noble/hashes/sha3.js";
import fc from "fast-check";
import { keccak256, replaceKeccak256, sha256 } from "./hash.ts";

test("Node's SHA-256 is the portable one's", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300, size: "max" }), (bytes) => {
      const digest = sha256(bytes);
      assert.equal(digest.constructor, Uint8Array);
      assert.deepEqual(digest, nobleSha256(bytes));
    }),
  );
});

test("a replaced Keccak-256 is used", () => {
  assert.deepEqual(keccak256(Uint8Array.of(1)), keccak_256(Uint8Array.of(1)));
  const digest = new Uint8Array(32).fill(7);
  replaceKeccak256(() => digest);
  assert.equal(keccak256(Uint8Array.of(1)), digest);
  replaceKeccak256(keccak_256);
  assert.deepEqual(keccak256(Uint8Array.of(1)), keccak_256(Uint8Array.of(1)));
});
