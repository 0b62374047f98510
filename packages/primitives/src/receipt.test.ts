import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { bloomContains, logsBloom } from "./bloom.ts";
import { bytesToHex, hexToBytes } from "./hex.ts";
import { decodeReceipt, encodeReceipt, type ReceiptInput } from "./receipt.ts";
import { RlpError } from "./rlp.ts";

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length }).map(bytesToHex);
const plain = { noNullPrototype: true } as const;
const data = fc.uint8Array({ maxLength: 70 }).map(bytesToHex);
const log = fc.record({ address: bytes(20), topics: fc.array(bytes(32), { maxLength: 4 }), data }, plain);
const receipt: fc.Arbitrary<ReceiptInput> = fc.record(
  {
    type: fc.constantFrom(0, 1, 2, 4),
    status: fc.constantFrom(0 as const, 1 as const),
    cumulativeGasUsed: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
    logs: fc.array(log, { maxLength: 4 }),
  },
  plain,
);

test("receipts survive a round trip, and their bloom holds every address and topic", () => {
  fc.assert(
    fc.property(receipt, (input) => {
      const decoded = decodeReceipt(encodeReceipt(input));
      assert.deepEqual({ ...decoded, bloom: undefined }, { ...input, bloom: undefined });
      for (const { address, topics } of input.logs) {
        for (const value of [address, ...topics]) assert.ok(bloomContains(decoded.bloom, hexToBytes(value)));
      }
    }),
  );
});

test("the bloom of one address sets the bits of the Yellow Paper", () => {
  const address = "0x095e7baea6a6c7c4c2dfeb977efac326af552d87";
  const bloom = logsBloom([{ address, topics: [], data: "0x" }]);
  const set = [...bloom].reduce((count, byte) => count + byte.toString(2).replaceAll("0", "").length, 0);
  assert.equal(set, 3);
  assert.equal(bloomContains(bloom, hexToBytes(`0x${"00".repeat(20)}`)), false);
});

test("a foreign bloom, a state root and unknown forms are refused", () => {
  const encoded = encodeReceipt({ type: 2, status: 1, cumulativeGasUsed: 21_000n, logs: [] });
  const tampered = encoded.slice();
  tampered[20] = 1;
  assert.throws(() => decodeReceipt(tampered), RlpError);
  assert.throws(() => decodeReceipt(new Uint8Array(0)), RlpError);
  assert.throws(() => decodeReceipt(Uint8Array.of(0xc0)), RlpError);
});
