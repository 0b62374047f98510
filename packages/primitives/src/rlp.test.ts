import assert from "node:assert/strict";
import { test } from "node:test";
import { RLP } from "@ethereumjs/rlp";
import fc from "fast-check";
import { hexToBytes } from "./hex.ts";
import { RlpError, type RlpValue, rlpDecode, rlpEncode } from "./rlp.ts";

const { value } = fc.letrec<{ value: RlpValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.uint8Array({ maxLength: 80 }),
    fc.array(tie("value") as fc.Arbitrary<RlpValue>, { maxLength: 6 }),
  ),
}));

const plain = (input: RlpValue): unknown => (input instanceof Uint8Array ? Array.from(input) : input.map(plain));

test("encoding equals @ethereumjs/rlp and decodes back", () => {
  fc.assert(
    fc.property(value, (input) => {
      const encoded = rlpEncode(input);
      assert.deepEqual(encoded, RLP.encode(input as Uint8Array));
      assert.deepEqual(plain(rlpDecode(encoded)), plain(input));
    }),
  );
});

test("long strings and lists use the long form", () => {
  for (const length of [55, 56, 255, 256, 65_535, 65_536]) {
    const bytes = new Uint8Array(length).fill(7);
    assert.deepEqual(rlpEncode(bytes), RLP.encode(bytes));
    assert.deepEqual(rlpDecode(rlpEncode([bytes])), [bytes]);
  }
});

test("whatever decodes, encodes back to the same bytes", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 24 }), (bytes) => {
      let decoded: RlpValue;
      try {
        decoded = rlpDecode(bytes);
      } catch (error) {
        assert.ok(error instanceof RlpError);
        return;
      }
      assert.deepEqual(rlpEncode(decoded), bytes);
    }),
    { numRuns: 2000 },
  );
});

test("non-canonical input is refused", () => {
  const cases = {
    empty: "0x",
    "single byte with prefix": "0x8100",
    "short string in long form": "0xb80100",
    "length with a leading zero": "0xb90038",
    "cut string": "0x8301",
    "cut length": "0xb9",
    "cut list": "0xc201",
    "bytes left over": "0x0000",
    "item larger than its list": "0xc18200",
    "length of eight bytes": "0xbfffffffffffffffff",
  };
  for (const [name, hex] of Object.entries(cases)) assert.throws(() => rlpDecode(hexToBytes(hex)), RlpError, name);
});

test("deep nesting is refused, not overflowed", () => {
  let nested: RlpValue = [];
  for (let i = 0; i < 200; i++) nested = [nested];
  assert.throws(() => rlpDecode(rlpEncode(nested)), RlpError);
});
