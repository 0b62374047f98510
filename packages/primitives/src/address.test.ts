import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { getAddress } from "viem";
import { isAddress, toChecksumAddress } from "./address.ts";
import { bytesToHex, HexError } from "./hex.ts";

test("checksums agree with viem", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 20, maxLength: 20 }), (bytes) => {
      const address = bytesToHex(bytes);
      assert.equal(toChecksumAddress(address), getAddress(address));
      assert.equal(isAddress(address), true);
    }),
  );
});

test("what is no address is refused", () => {
  assert.throws(() => toChecksumAddress("0x12"), HexError);
  assert.equal(isAddress(`0x${"g".repeat(40)}`), false);
});
