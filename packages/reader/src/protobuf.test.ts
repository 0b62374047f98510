import assert from "node:assert/strict";
import { test } from "node:test";
import { bytesToHex, hexToBytes } from "@cairn/primitives";
import fc from "fast-check";
import { EndpointError } from "./endpoint-error.ts";
import { decodeMessage, encodeMessage, type MessageShape } from "./protobuf.ts";

/** The documentation's own examples: https://protobuf.dev/programming-guides/encoding */
test("the encoding guide's examples", () => {
  const test1: MessageShape = { 1: ["a", "uint64"] };
  assert.equal(bytesToHex(encodeMessage(test1, { a: 150 })), "0x089601");
  assert.deepEqual(decodeMessage(test1, hexToBytes("0x089601")), { a: "150" });
  const test2: MessageShape = { 2: ["b", "text"] };
  assert.equal(bytesToHex(encodeMessage(test2, { b: "testing" })), "0x120774657374696e67");
  assert.deepEqual(decodeMessage(test2, hexToBytes("0x120774657374696e67")), { b: "testing" });
  const test3: MessageShape = { 3: ["c", test1] };
  assert.equal(bytesToHex(encodeMessage(test3, { c: { a: 150 } })), "0x1a03089601");
  assert.deepEqual(decodeMessage(test3, hexToBytes("0x1a03089601")), { c: { a: "150" } });
});

test("unknown fields of every type are passed over; the last of a repeated field counts", () => {
  const shape: MessageShape = { 2: ["b", "bytes"], 4: ["n", "uint64"] };
  // 1: varint, 3: fixed64, 5: fixed32, 6: bytes, then 2, 4 twice.
  const bytes = "0x0801" + "190000000000000000" + "2d00000000" + "3203aabbcc" + "1202beef" + "2001" + "2002";
  assert.deepEqual(decodeMessage(shape, hexToBytes(bytes)), { b: "0xbeef", n: "2" });
});

test("64 bits, and texts of a list", () => {
  const shape: MessageShape = { 1: ["n", "uint64"], 3: ["mask", { 1: ["paths", "texts"] }] };
  const largest = (2n ** 64n - 1n).toString();
  assert.deepEqual(decodeMessage(shape, encodeMessage(shape, { n: largest })), { n: largest });
  assert.equal(bytesToHex(encodeMessage(shape, { mask: { paths: ["a", "bc"] } })), "0x1a070a01610a026263");
});

const SHAPE: MessageShape = { 1: ["n", "uint64"], 2: ["t", "text"], 3: ["m", { 1: ["b", "bytes"] }] };

test("cut, lengthened or nonsensical bytes are undecodable, whatever they are", () => {
  for (const bytes of ["0x08", "0x12ff", "0x1a0508", "0x0b", "0x08ffffffffffffffffffff01", "0x1202ff00", "0x0a0161"]) {
    assert.throws(() => decodeMessage(SHAPE, hexToBytes(bytes)), { code: "undecodable" }, bytes);
  }
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      try {
        decodeMessage(SHAPE, bytes);
      } catch (error) {
        assert.ok(error instanceof EndpointError && error.code === "undecodable", `${error}`);
      }
    }),
  );
});

test("a member's name cannot be __proto__'s", () => {
  const decoded = decodeMessage({ 1: ["__proto__", "text"] }, hexToBytes("0x0a0161"));
  assert.deepEqual(Object.keys(decoded), ["__proto__"]);
});
