import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { getAddress, recoverMessageAddress } from "viem";
import { generatePrivateKey, mnemonicToAccount, privateKeyToAccount } from "viem/accounts";
import { type LiveNode, type RpcReply, startLiveNode } from "./testing/live-node.ts";

const MNEMONIC = "test test test test test test test test test test test junk";
const alice = mnemonicToAccount(MNEMONIC, { addressIndex: 7 });
const ALICE_KEY = Buffer.from(alice.getHdKey().privateKey ?? []).toString("hex");
const ALICE = alice.address.toLowerCase() as `0x${string}`;
const NOBODY = `0x${"ee".repeat(20)}` as const;

let node: LiveNode;
before(async () => {
  node = await startLiveNode({ automine: false });
});
after(async () => {
  assert.deepEqual(node.faults, []);
  await node.close();
});

async function result(method: string, ...params: unknown[]): Promise<unknown> {
  const reply: RpcReply = await node.asOperator(method, ...params);
  assert.equal(reply.error, undefined, `${method}: ${reply.error?.message}`);
  return reply.result;
}

async function fails(code: number, message: RegExp | string, method: string, ...params: unknown[]): Promise<void> {
  const { error } = await node.asOperator(method, ...params);
  assert.equal(error?.code, code, `${method}: ${error?.message}`);
  if (typeof message === "string") assert.equal(error.message, message);
  else assert.match(error.message, message);
}

test("every method needs the operator", async () => {
  const { personal } = (await import("@cairn/api")).methodTables;
  for (const [name, { kind }] of Object.entries(personal)) {
    if (kind === "refused") continue;
    const { error } = await node.rpc(name);
    assert.deepEqual([error?.code, error?.message], [4100, "unauthorized"], name);
  }
});

test("accounts are imported, made and listed", async () => {
  assert.deepEqual(await result("personal_listAccounts"), []);
  assert.equal(await result("personal_importRawKey", ALICE_KEY, "pass"), ALICE);
  await fails(-32000, "account already exists", "personal_importRawKey", `0x${ALICE_KEY}`, "other");
  await fails(-32602, /invalid length, need 256 bits$/, "personal_importRawKey", "1234", "x");
  await fails(-32602, /invalid hex data for private key$/, "personal_importRawKey", `${"zz".repeat(32)}`, "x");
  await fails(-32000, "invalid private key", "personal_importRawKey", "00".repeat(32), "x");
  const made = await result("personal_newAccount", "second");
  assert.equal(made, getAddress(String(made)));
  assert.deepEqual(
    new Set((await result("personal_listAccounts")) as string[]),
    new Set([ALICE, String(made).toLowerCase()]),
  );
});

test("unlocking follows the specification's states", async () => {
  const sign = () => node.rpc("eth_sign", ALICE, "0x01");
  assert.equal((await sign()).error?.message, "authentication needed: password or unlock");
  assert.equal(await result("personal_unlockAccount", ALICE, "pass"), true);
  assert.equal((await sign()).result, await alice.signMessage({ message: { raw: "0x01" } }));
  assert.equal(await result("personal_lockAccount", ALICE), true);
  assert.equal((await sign()).error?.message, "authentication needed: password or unlock");
  for (const seconds of [0, 30, "0x1e", null]) {
    assert.equal(await result("personal_unlockAccount", ALICE, "pass", seconds), true);
  }
  assert.equal(await result("personal_lockAccount", ALICE), true);
  assert.equal(await result("personal_lockAccount", NOBODY), true);
  await fails(-32000, "unlock duration too large", "personal_unlockAccount", ALICE, "pass", 9_223_372_037);
  await fails(-32602, /^invalid argument 2/, "personal_unlockAccount", ALICE, "pass", -1);
  await fails(-32000, "no key for given address or file", "personal_unlockAccount", NOBODY, "pass");
  await fails(-32000, "could not decrypt key with given password", "personal_unlockAccount", ALICE, "wrong");
  assert.equal(await result("personal_unlockAccount", ALICE, "pass"), true);
  await result("personal_lockAccount", ALICE);
});

test("a timed unlock ends", async () => {
  assert.equal(await result("personal_unlockAccount", ALICE, "pass", 1), true);
  assert.equal((await node.rpc("eth_sign", ALICE, "0x")).error, undefined);
  const deadline = performance.now() + 10_000;
  while ((await node.rpc("eth_sign", ALICE, "0x")).error === undefined) {
    assert.ok(performance.now() < deadline, "the account stays unlocked");
  }
});

test("personal_sign and personal_ecRecover are each other's inverse, and viem's", async () => {
  const message = "0xdeadbeef";
  const signature = await result("personal_sign", message, ALICE, "pass");
  assert.equal(signature, await alice.signMessage({ message: { raw: message } }));
  assert.equal(await result("personal_ecRecover", message, signature), ALICE);
  const recovered = await recoverMessageAddress({ message: { raw: message }, signature: signature as `0x${string}` });
  assert.equal(recovered, alice.address);
  await fails(-32000, "signature must be 65 bytes long", "personal_ecRecover", message, "0x01");
  const last = (v: string) => `${String(signature).slice(0, -2)}${v}`;
  await fails(-32000, "invalid Ethereum signature (V is not 27 or 28)", "personal_ecRecover", message, last("01"));
  await fails(-32000, "recovery failed", "personal_ecRecover", message, `0x${"ff".repeat(64)}1b`);
  await fails(-32000, "unknown account", "personal_sign", message, NOBODY, "pass");
  await fails(-32000, "authentication needed: password or unlock", "personal_sign", message, ALICE);
  await result("personal_unlockAccount", ALICE, "pass");
  assert.equal(await result("personal_sign", message, ALICE), signature);
  await result("personal_lockAccount", ALICE);
});

test("personal_sendTransaction signs with the password and leaves the account locked", async () => {
  const tx = { from: ALICE, to: NOBODY, value: "0x5" };
  const names = ["personal_sendTransaction", "personal_signAndSendTransaction", "personal_sendTransaction"];
  const sent = await Promise.all(names.map((name) => result(name, tx, "pass")));
  await node.produce();
  for (const hash of sent) {
    const receipt = (await result("eth_getTransactionReceipt", hash)) as { status: string };
    assert.equal(receipt.status, "0x1");
  }
  const locked = await node.rpc("eth_sendTransaction", tx);
  assert.equal(locked.error?.message, "authentication needed: password or unlock");
  await fails(-32000, "could not decrypt key with given password", "personal_sendTransaction", tx, "wrong");
  await fails(-32000, "unknown account", "personal_sendTransaction", { ...tx, from: NOBODY }, "pass");
  const derived = await node.asOperator("personal_deriveAccount", "soft://x", "m/0");
  assert.equal(derived.error?.code, -32601);
  assert.match(derived.error.message, /there are no hierarchical wallets$/);
  const full = { ...tx, gas: "0x5208", gasPrice: "0x3b9aca00", nonce: "0x63" };
  const { raw } = (await result("personal_signTransaction", full, "pass")) as { raw: string };
  const expected = { type: "legacy", chainId: 358_587, to: NOBODY, value: 5n } as const;
  assert.equal(raw, await alice.signTransaction({ ...expected, gas: 21_000n, gasPrice: 10n ** 9n, nonce: 99 }));
});

test("software wallets are made, paired, unpaired; other URLs are refused", async () => {
  const key = await result("personal_initializeWallet", "soft://Cold?pairing=p%20w");
  const wallet = privateKeyToAccount(key as `0x${string}`);
  const address = wallet.address.toLowerCase();
  const status = async () => {
    const all = (await result("personal_listWallets")) as { url: string; status: string; accounts: unknown[] }[];
    assert.ok(all.some(({ url }) => /^keystore:\/\/UTC--[^/]+$/.test(url)));
    const found = all.find(({ url }) => url === "soft://cold");
    assert.deepEqual(found?.accounts, [{ address, url: "soft://cold" }]);
    return found?.status;
  };
  const sign = () => node.rpc("eth_sign", address, "0x01");
  assert.equal(await status(), "Unlocked");
  assert.equal((await sign()).result, await wallet.signMessage({ message: { raw: "0x01" } }));
  await fails(-32000, "could not decrypt key with given password", "personal_unpair", "soft://cold", "wrong");
  assert.equal(await status(), "Unlocked");
  assert.equal(await result("personal_unpair", "soft://cold?pairing=ignored", "p w"), null);
  assert.equal(await status(), "Locked");
  assert.equal((await sign()).error?.message, "authentication needed: password or unlock");
  assert.equal(await result("personal_openWallet", "soft://cold?pairing=p%20w"), null);
  assert.equal(await status(), "Unlocked");
  await fails(-32000, "wallet already initialized", "personal_initializeWallet", "soft://cold?pairing=x");
  await fails(-32000, "unknown wallet", "personal_unpair", "soft://warm", "x");
  for (const url of ["soft://nopassword", "pcsc://044fc7", "keystore:///x", ""]) {
    await fails(-32000, /^specified wallet does not support initialization/, "personal_initializeWallet", url);
  }
  await fails(-32000, /^specified wallet does not support pairing/, "personal_unpair", "pcsc://044fc7", "x");
});

test("guessing is slowed down, and other accounts are not", async () => {
  const key = generatePrivateKey();
  const address = await result("personal_importRawKey", key, "right");
  const messages = new Set<string | undefined>();
  for (let i = 0; i < 6; i++) {
    const { error } = await node.asOperator("personal_unlockAccount", address, `guess ${i}`);
    messages.add(error?.message);
  }
  const wait = "too many wrong passwords for this account: try again in 1 s";
  assert.deepEqual(messages, new Set(["could not decrypt key with given password", wait]));
  await fails(-32005, wait, "personal_unlockAccount", address, "right");
  await fails(-32005, wait, "personal_sign", "0x", address, "right");
  assert.equal(await result("personal_unlockAccount", ALICE, "pass", 1), true);
});
