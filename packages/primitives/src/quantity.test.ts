import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { HexError } from "./hex.ts";
import { bigintToBytes, bytesToBigint, parseQuantity, quantityToHex } from "./quantity.ts";

test("quantities survive a round trip", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), (n) => {
      assert.equal(parseQuantity(quantityToHex(n)), n);
      assert.equal(bytesToBigint(bigintToBytes(n)), n);
      assert.notEqual(bigintToBytes(n)[0], 0);
    }),
  );
  assert.equal(quantityToHex(0), "0x0");
  assert.equal(quantityToHex(1024), "0x400");
});

test("only the compact form is a quantity", () => {
  for (const bad of ["0x", "0x0400", "ff", "", "0x00", "0xg", "-0x1", "0x-1", `0x1${"0".repeat(64)}`]) {
    assert.throws(() => parseQuantity(bad), HexError, bad);
  }
  assert.throws(() => quantityToHex(-1n), HexError);
  assert.throws(() => quantityToHex(1.5), HexError);
});
