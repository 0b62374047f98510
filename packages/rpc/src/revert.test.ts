import assert from "node:assert/strict";
import { test } from "node:test";
import { hexToBytes } from "@cairn/primitives";
import fc from "fast-check";
import { encodeErrorResult } from "viem";
import { revertError, revertReason } from "./revert.ts";

const abi = [
  { type: "error", name: "Error", inputs: [{ type: "string", name: "reason" }] },
  { type: "error", name: "Panic", inputs: [{ type: "uint256", name: "code" }] },
] as const;

test("Error(string) is decoded, whatever the string", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (reason) => {
      assert.equal(revertReason(hexToBytes(encodeErrorResult({ abi, errorName: "Error", args: [reason] }))), reason);
    }),
  );
});

test("Panic codes have geth's words", () => {
  const words = (code: bigint) =>
    revertReason(hexToBytes(encodeErrorResult({ abi, errorName: "Panic", args: [code] })));
  assert.equal(words(0x01n), "assert(false)");
  assert.equal(words(0x11n), "arithmetic underflow or overflow");
  assert.equal(words(0x77n), "unknown panic code: 0x77");
});

test("other payloads are passed on as data with code 3", () => {
  for (const payload of ["0x", "0x08c379a0", "0x4e487b71", "0x12345678", `0x08c379a0${"ff".repeat(64)}`]) {
    const error = revertError(hexToBytes(payload));
    assert.deepEqual([error.code, error.message, error.data], [3, "execution reverted", JSON.stringify(payload)]);
  }
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 120 }), (tail) => {
      revertReason(new Uint8Array([0x08, 0xc3, 0x79, 0xa0, ...tail]));
      revertReason(new Uint8Array([0x4e, 0x48, 0x7b, 0x71, ...tail]));
    }),
  );
});
