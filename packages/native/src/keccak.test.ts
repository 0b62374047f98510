import assert from "node:assert/strict";
import { test } from "node:test";
import { keccak256 } from "@cairn/primitives";
import fc from "fast-check";
import { keccak256 as viemKeccak256 } from "viem";
import { verifyProofs } from "./facade.ts";

test("the addon's Keccak-256 is viem's", async () => {
  await verifyProofs([]);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 500, size: "max" }), fc.nat(50), (bytes, from) => {
      const part = bytes.subarray(from);
      const digest = keccak256(part);
      assert.equal(digest.constructor, Uint8Array);
      assert.deepEqual(digest, viemKeccak256(part, "bytes"));
    }),
  );
});
