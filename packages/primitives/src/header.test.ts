import assert from "node:assert/strict";
import { test } from "node:test";
import { RLP } from "@ethereumjs/rlp";
import fc from "fast-check";
import { decodeHeader, encodeHeader, type Header, headerHash } from "./header.ts";
import { bytesToHex, hexToBytes } from "./hex.ts";
import { bigintToBytes } from "./quantity.ts";
import { RlpError } from "./rlp.ts";

/** Block 0 of Ethereum's main network: a public constant to check the hash against. */
const MAINNET_GENESIS: Header = {
  parentHash: `0x${"0".repeat(64)}`,
  sha3Uncles: "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347",
  miner: `0x${"0".repeat(40)}`,
  stateRoot: "0xd7f8974fb5ac78d9ac099b9ad5018bedc2ce0a72dad1827a1709da30580f0544",
  transactionsRoot: "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421",
  receiptsRoot: "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421",
  logsBloom: `0x${"0".repeat(512)}`,
  difficulty: 0x400000000n,
  number: 0n,
  gasLimit: 5000n,
  gasUsed: 0n,
  timestamp: 0n,
  extraData: "0x11bbe8db4e347b4e8c937c1c8370e4b5ed33adb3db69cbdb7a38e1e50b1b82fa",
  mixHash: `0x${"0".repeat(64)}`,
  nonce: "0x0000000000000042",
};

test("the hash of Ethereum's block 0", () => {
  const hash = headerHash(encodeHeader(MAINNET_GENESIS));
  assert.equal(hash, "0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3");
});

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length }).map(bytesToHex);
const u64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });

test("Prague headers survive a round trip and encode as the oracle does", () => {
  const prague = fc.record({
    ...{ baseFeePerGas: u64, withdrawalsRoot: bytes(32), blobGasUsed: u64, excessBlobGas: u64 },
    ...{ parentBeaconBlockRoot: bytes(32), requestsHash: bytes(32) },
    ...{ miner: bytes(20), number: u64, timestamp: u64, extraData: bytes(32), logsBloom: bytes(256) },
  });
  fc.assert(
    fc.property(prague, fc.integer({ min: 0, max: 6 }), (fields, optional) => {
      const names = ["baseFeePerGas", "withdrawalsRoot", "blobGasUsed", "excessBlobGas"];
      const absent = new Set([...names, "parentBeaconBlockRoot", "requestsHash"].slice(optional));
      const kept = Object.fromEntries(Object.entries(fields).filter(([name]) => !absent.has(name)));
      const header: Header = { ...MAINNET_GENESIS, ...kept };
      const encoded = encodeHeader(header);
      assert.deepEqual(decodeHeader(encoded), header);
      const decoded = RLP.decode(encoded);
      assert.ok(Array.isArray(decoded));
      assert.equal(decoded.length, 15 + optional);
      assert.deepEqual(decoded[8], bigintToBytes(header.number));
    }),
  );
});

test("gaps, wrong lengths and other lists are refused", () => {
  assert.throws(() => encodeHeader({ ...MAINNET_GENESIS, blobGasUsed: 1n }), RlpError);
  assert.throws(() => decodeHeader(RLP.encode([])), RlpError);
  assert.throws(() => decodeHeader(RLP.encode(hexToBytes("0x00"))), RlpError);
  assert.throws(() => decodeHeader(encodeHeader({ ...MAINNET_GENESIS, nonce: "0x00" })), RlpError);
});
