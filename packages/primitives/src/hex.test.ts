import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { bytesToHex as viemHex } from "viem";
import { bytesToHex, concatBytes, HexError, hexToBytes, isHex } from "./hex.ts";

function survivesRoundTrip(): void {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300, size: "max" }), (bytes) => {
      assert.equal(bytesToHex(bytes), viemHex(bytes));
      assert.deepEqual(hexToBytes(bytesToHex(bytes).toUpperCase().replace("0X", "0x")), bytes);
    }),
  );
}

test("bytes survive a round trip and look as viem writes them", survivesRoundTrip);

test("they do so where there is no Node", () => {
  const { Buffer } = globalThis;
  Reflect.deleteProperty(globalThis, "Buffer");
  try {
    survivesRoundTrip();
  } finally {
    globalThis.Buffer = Buffer;
  }
});

test("a part of a larger array is written alone", () => {
  assert.equal(bytesToHex(Uint8Array.of(1, 2, 3, 4).subarray(1, 3)), "0x0203");
});

test("one wrong digit anywhere in long data is refused", () => {
  const digits = "ab".repeat(100);
  for (let at = 0; at < digits.length; at += 1) {
    for (const wrong of ["g", " ", "\u0161", "\u{1f600}"[0] ?? ""]) {
      const text = `0x${digits.slice(0, at)}${wrong}${digits.slice(at + 1)}`;
      assert.throws(() => hexToBytes(text), HexError, `${at} ${wrong}`);
    }
  }
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
