import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { blockNumber, blockSelector } from "./block-selector.ts";
import { callObject } from "./call-object.ts";
import { arrayOf, type Codec, CodecError } from "./codec.ts";
import {
  address,
  boolean,
  count,
  data,
  dataUpTo,
  filterId,
  hash,
  index,
  number,
  quantity,
  quantity64,
  storageKey,
  string,
} from "./codecs.ts";
import { logFilter } from "./log-filter.ts";
import { blockOverrides, stateOverrides } from "./overrides.ts";

const HASH = `0x${"aB".repeat(32)}` as const;
const ADDRESS = `0x${"Cd".repeat(20)}` as const;

function refuses(codec: Codec<unknown>, values: readonly unknown[]): void {
  for (const value of values) assert.throws(() => codec.decode(value), CodecError, JSON.stringify(value));
}

test("quantities are strict", () => {
  assert.equal(quantity.decode("0x41"), 0x41n);
  assert.equal(quantity64.decode("0xffffffffffffffff"), 2n ** 64n - 1n);
  refuses(quantity, ["0x", "0x0400", "ff", 5, null, {}, [], "", `0x1${"0".repeat(64)}`]);
  refuses(quantity64, ["0x10000000000000000"]);
  refuses(index, ["0x10000000000000000", "-0x1", 0]);
  assert.equal(index.decode("0x100000000"), 2 ** 32 - 1);
  assert.equal(count.decode(4), 4n);
  assert.equal(count.decode("0x4"), 4n);
  assert.equal(count.decode("4"), 4n);
  assert.equal(count.decode("0x04"), 4n);
  refuses(count, [-1, 1.5, "", "0x", "-4", Number.MAX_VALUE, "18446744073709551616"]);
  refuses(number, ["1", null, Number.NaN]);
});

test("data, addresses and hashes", () => {
  assert.deepEqual(data.decode("0x004200"), Uint8Array.of(0, 0x42, 0));
  refuses(data, ["0xf0f0f", "004200", 1]);
  refuses(dataUpTo(2), ["0x000000"]);
  assert.equal(address.decode(ADDRESS), ADDRESS.toLowerCase());
  assert.equal(hash.decode(HASH), HASH.toLowerCase());
  refuses(address, ["0x12", ADDRESS.slice(2), `0x${"g".repeat(40)}`, HASH, 0]);
  refuses(hash, [ADDRESS, "0x", {}]);
  refuses(boolean, ["true", 1]);
  refuses(string, [1]);
  refuses(filterId, ["1", "0x", `0x${"1".repeat(65)}`]);
});

test("storage positions in any spelling", () => {
  for (const zero of ["0", "0x0", "0x", "", `0x${"0".repeat(64)}`]) {
    assert.deepEqual(storageKey.decode(zero).bytes, new Uint8Array(32), zero);
  }
  assert.equal(storageKey.decode(`0x${"0".repeat(64)}`).full, true);
  assert.equal(storageKey.decode("0x123").bytes[30], 1);
  refuses(storageKey, ["0xzz", "0".repeat(65), 1]);
});

test("blocks by number, tag, hash and EIP-1898 object", () => {
  assert.equal(blockSelector.decode("safe"), "safe");
  assert.equal(blockSelector.decode("0x10"), 16n);
  assert.equal(blockSelector.decode(HASH), HASH.toLowerCase());
  assert.equal(blockSelector.decode({ blockHash: HASH, requireCanonical: true }), HASH.toLowerCase());
  assert.equal(blockSelector.decode({ blockNumber: "latest" }), "latest");
  refuses(blockSelector, ["0x01", "newest", 5, "", {}, { blockHash: HASH, blockNumber: "0x1" }, [], true]);
  refuses(blockNumber, [HASH, "0x8000000000000000", { blockNumber: "0x1" }]);
});

test("call objects: null is absent, unknown keys are ignored, input wins", () => {
  const call = callObject.decode({ from: ADDRESS, to: null, data: "0x01", input: "0x02", gasLimit: "0x5", extra: [1] });
  assert.deepEqual(call, { from: ADDRESS.toLowerCase(), gas: 5n, data: Uint8Array.of(2) });
  const accessList = [{ address: ADDRESS, storageKeys: [HASH] }];
  assert.equal(callObject.decode({ accessList }).accessList?.[0]?.storageKeys[0], HASH.toLowerCase());
  refuses(callObject, [null, [], "0x", { from: "0x1" }, { data: "0x1", input: "0x" }, { accessList: [{}] }]);
  refuses(callObject, [{ blobVersionedHashes: [] }, { value: 5 }, { accessList: {} }]);
  assert.deepEqual(callObject.decode(JSON.parse('{"__proto__":{"gas":"zz"},"constructor":1}')), {});
  const authorization = { chainId: "0x1", address: ADDRESS, nonce: "0x0", yParity: "0x1", r: "0x2", s: "0x3" };
  const [decoded] = callObject.decode({ authorizationList: [authorization] }).authorizationList ?? [];
  assert.deepEqual(decoded, { chainId: 1n, address: ADDRESS.toLowerCase(), nonce: 0n, yParity: 1, r: 2n, s: 3n });
  refuses(callObject, [{ authorizationList: [{}] }, { authorizationList: [{ ...authorization, yParity: "0x100" }] }]);
});

test("overrides: accounts by address, words by key, header fields", () => {
  const account = { balance: "0x5", code: "0x00", stateDiff: { [HASH]: HASH }, movePrecompileToAddress: ADDRESS };
  const decoded = stateOverrides.decode({ [ADDRESS]: account, [`0x${"ee".repeat(20)}`]: { nonce: null } });
  assert.deepEqual(decoded[ADDRESS.toLowerCase() as typeof ADDRESS], {
    balance: 5n,
    code: new Uint8Array(1),
    stateDiff: { [HASH.toLowerCase()]: HASH.toLowerCase() },
    movePrecompileToAddress: ADDRESS.toLowerCase(),
  });
  assert.deepEqual(Object.values(decoded)[1], {});
  refuses(stateOverrides, [{ "0x1": {} }, { [ADDRESS]: { stateDiff: { "0x1": HASH } } }, { [ADDRESS]: 1 }, []]);
  assert.deepEqual(blockOverrides.decode({ number: "0x10", difficulty: "0x1", baseFeePerGas: "0x7" }), {
    number: 16n,
    baseFeePerGas: 7n,
  });
  refuses(blockOverrides, [{ time: "1" }, { withdrawals: [{}] }, { prevRandao: "0x1" }]);
});

test("log filters: both spellings, wildcards, bounds", () => {
  const filter = logFilter.decode({ address: ADDRESS, topics: [null, [HASH, HASH], HASH, []], blockhash: HASH });
  const topic = HASH.toLowerCase();
  assert.deepEqual(filter.topics, [[], [topic, topic], [topic], []]);
  assert.deepEqual(filter.addresses, [ADDRESS.toLowerCase()]);
  assert.equal(filter.blockHash, topic);
  assert.deepEqual(logFilter.decode({ topics: [[null, HASH]] }).topics, [[]]);
  refuses(logFilter, [{ topics: [1] }, { topics: Array(5).fill(null) }, { address: Array(1001).fill(ADDRESS) }]);
  refuses(logFilter, [{ blockHash: HASH, fromBlock: "0x1" }, { fromBlock: HASH }, [], null]);
});

test("no codec throws anything but CodecError, whatever it is given", () => {
  const codecs: Codec<unknown>[] = [
    ...[quantity, quantity64, index, data, address, hash, boolean, string, filterId, count, number, storageKey],
    ...[blockNumber, blockSelector, callObject, stateOverrides, blockOverrides, logFilter, arrayOf(hash, 3)],
  ];
  const hostile = fc.oneof(
    fc.jsonValue(),
    fc.stringMatching(/^0x[0-9a-fA-F]{0,70}$/),
    fc.record({ topics: fc.jsonValue(), address: fc.jsonValue() }),
  );
  fc.assert(
    fc.property(fc.constantFrom(...codecs), hostile, (codec, value) => {
      try {
        codec.decode(value);
      } catch (error) {
        assert.ok(error instanceof CodecError);
      }
    }),
    { numRuns: 3000 },
  );
});
