import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { bytesToHex as viemHex } from "viem";
import { bytesToHex, concatBytes, HexError, hexToBytes, isHex } from "./hex.ts";

test("bytes survive a round trip and look as viem writes them", () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      assert.equal(bytesToHex(bytes), viemHex(bytes));
      assert.deepEqual(hexToBytes(bytesToHex(bytes).toUpperCase().replace("0X", "0x")), bytes);
    }),
  );
});

test("the specification's examples of invalid data are refused", () => {
  for (const bad of ["0xf0f0f", "004200", "", "0xzz", "0x 1", "0X00"]) {
    assert.throws(() => hexToBytes(bad), HexError, bad);
    assert.equal(isHex(bad), false, bad);
  }
  assert.deepEqual(hexToBytes("0x004200"), Uint8Array.of(0, 0x42, 0));
  assert.equal(isHex("0x", 0), true);
  assert.equal(isHex("0x00", 2), false);
});

test("concatBytes keeps the order", () => {
  assert.deepEqual(concatBytes(Uint8Array.of(1), new Uint8Array(0), Uint8Array.of(2, 3)), Uint8Array.of(1, 2, 3));
});
