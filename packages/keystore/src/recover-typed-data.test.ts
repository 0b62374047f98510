import assert from "node:assert/strict";
import { test } from "node:test";
import { hexToBytes } from "@cairn/primitives";
import { Wallet } from "ethers";
import { privateKeyToAccount } from "viem/accounts";
import { recoverTypedDataSigner } from "./index.ts";

const KEY = `0x${"42".repeat(32)}` as const;
const account = privateKeyToAccount(KEY);
const signer = account.address.toLowerCase();
const document = {
  types: { EIP712Domain: [{ name: "name", type: "string" }], Note: [{ name: "text", type: "string" }] },
  primaryType: "Note",
  domain: { name: "test" },
  message: { text: "hello" },
} as const;
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

test("signatures of viem and ethers are recovered, with v 27 or 28 and 0 or 1", async () => {
  const byViem = hexToBytes(await account.signTypedData(document));
  const { Note } = document.types;
  const fields = { Note: [...Note] };
  const byEthers = hexToBytes(
    (await new Wallet(KEY).signTypedData(document.domain, fields, document.message)) as `0x${string}`,
  );
  assert.deepEqual(byViem, byEthers);
  assert.equal(recoverTypedDataSigner(document, byViem), signer);
  assert.equal(recoverTypedDataSigner(document, byViem.with(64, (byViem[64] ?? 0) - 27)), signer);
});

test("another document, the other parity, a long or mirrored signature name nobody or somebody else", async () => {
  const signature = hexToBytes(await account.signTypedData(document));
  assert.notEqual(recoverTypedDataSigner({ ...document, message: { text: "bye" } }, signature), signer);
  assert.notEqual(recoverTypedDataSigner(document, signature.with(64, signature[64] === 27 ? 28 : 27)), signer);
  for (const v of [2, 26, 29, 255]) assert.equal(recoverTypedDataSigner(document, signature.with(64, v)), undefined);
  assert.equal(recoverTypedDataSigner(document, Uint8Array.of(...signature, 0)), undefined);
  const s = BigInt(`0x${Buffer.from(signature.subarray(32, 64)).toString("hex")}`);
  const mirrored = Uint8Array.from(signature);
  mirrored.set(Buffer.from((ORDER - s).toString(16).padStart(64, "0"), "hex"), 32);
  mirrored[64] = signature[64] === 27 ? 28 : 27;
  assert.equal(recoverTypedDataSigner(document, mirrored), undefined);
});
