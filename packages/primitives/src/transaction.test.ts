import assert from "node:assert/strict";
import { test } from "node:test";
import { keccak256, serializeTransaction, type TransactionSerializable, hexToBytes as viemBytes } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { bytesToHex, hexToBytes } from "./hex.ts";
import { RlpError, rlpEncode } from "./rlp.ts";
import { decodeTransaction, encodeTransaction, transactionHash } from "./transaction.ts";

const account = privateKeyToAccount(`0x${"11".repeat(32)}`);
const to = "0x00000000000000000000000000000000000000aa" as const;
const accessList = [{ address: to, storageKeys: [`0x${"01".repeat(32)}` as const] }];

const base = { chainId: 358587, nonce: 7, gas: 21_000n, to, value: 5n, data: "0x1234" } as const;
const signed: Record<string, () => Promise<`0x${string}`>> = {
  legacy: () => account.signTransaction({ ...base, type: "legacy", gasPrice: 9n }),
  creation: () => account.signTransaction({ ...base, to: null, type: "legacy", gasPrice: 9n }),
  "type 1": () => account.signTransaction({ ...base, type: "eip2930", gasPrice: 9n, accessList }),
  "type 2": () =>
    account.signTransaction({ ...base, type: "eip1559", maxFeePerGas: 9n, maxPriorityFeePerGas: 1n, accessList }),
  "type 4": async () => {
    const authorization = await account.signAuthorization({ chainId: 358587, contractAddress: to, nonce: 8 });
    const fees = { maxFeePerGas: 9n, maxPriorityFeePerGas: 1n };
    return account.signTransaction({ ...base, type: "eip7702", ...fees, authorizationList: [authorization] });
  },
};

for (const [name, sign] of Object.entries(signed)) {
  test(`${name}: decodes what viem signs, encodes it back, same hash`, async () => {
    const text = await sign();
    const raw = viemBytes(text);
    const tx = decodeTransaction(raw);
    assert.equal(tx.nonce, 7n);
    assert.equal(tx.valueWei, 5n);
    assert.equal(tx.chainId, 358587n);
    assert.equal(tx.to, name === "creation" ? null : to);
    assert.deepEqual(encodeTransaction(tx), raw);
    assert.equal(transactionHash(raw), keccak256(text));
    if (tx.type === 4) assert.equal(tx.authorizationList[0]?.nonce, 8n);
    if (tx.type === 1 || tx.type === 2) assert.deepEqual(tx.accessList, accessList);
    for (let cut = 0; cut < raw.length; cut += 7) {
      assert.throws(() => decodeTransaction(raw.subarray(0, cut)), RlpError);
    }
  });
}

test("a signature bound to no chain has no chain id", async () => {
  const legacy: TransactionSerializable = { ...base, chainId: undefined, type: "legacy", gasPrice: 9n };
  const signature = await account.sign({ hash: keccak256(serializeTransaction(legacy)) });
  const r = `0x${signature.slice(2, 66)}` as const;
  const s = `0x${signature.slice(66, 130)}` as const;
  const v = BigInt(`0x${signature.slice(130)}`);
  const raw = viemBytes(serializeTransaction(legacy, { r, s, v }));
  const tx = decodeTransaction(raw);
  assert.equal(tx.chainId, undefined);
  assert.deepEqual(encodeTransaction(tx), raw);
});

test("blob transactions and unknown types are refused", () => {
  for (const type of [3, 5, 0x7f, 0x80, 0]) {
    const raw = hexToBytes(`${bytesToHex(Uint8Array.of(type))}${bytesToHex(rlpEncode([])).slice(2)}`);
    assert.throws(() => decodeTransaction(raw), RlpError);
  }
});
