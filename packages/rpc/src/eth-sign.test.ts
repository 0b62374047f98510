import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { CallContext } from "@cairn/api";
import { hexToBytes } from "@cairn/primitives";
import { JsonRpcProvider } from "ethers";
import { createWalletClient, defineChain, http, parseTransaction, recoverTransactionAddress, toHex } from "viem";
import { mnemonicToAccount, privateKeyToAccount } from "viem/accounts";
import { createHandlers } from "./create-handlers.ts";
import { type LiveNode, type RpcReply, startLiveNode } from "./testing/live-node.ts";

const MNEMONIC = "test test test test test test test test test test test junk";
const alice = mnemonicToAccount(MNEMONIC, { addressIndex: 5 });
const bob = mnemonicToAccount(MNEMONIC, { addressIndex: 6 });
const ALICE = alice.address.toLowerCase() as `0x${string}`;
const ALICE_KEY = alice.getHdKey().privateKey ?? new Uint8Array(0);
const BOB = bob.address.toLowerCase() as `0x${string}`;
const NOBODY = `0x${"ee".repeat(20)}` as const;
const GWEI = 10n ** 9n;
const hex = (n: bigint | number) => `0x${n.toString(16)}` as const;

let node: LiveNode;
before(async () => {
  node = await startLiveNode({ automine: false });
  await node.keystore.importKey(ALICE_KEY, "a");
  await node.keystore.importKey(bob.getHdKey().privateKey ?? new Uint8Array(0), "b");
  await node.keystore.unlock(ALICE, "a", 0);
});
after(async () => {
  assert.deepEqual(node.faults, []);
  await node.close();
});

async function result(method: string, ...params: unknown[]): Promise<unknown> {
  const reply: RpcReply = await node.rpc(method, ...params);
  assert.equal(reply.error, undefined, `${method}: ${reply.error?.message}`);
  return reply.result;
}

async function fails(code: number, message: RegExp | string, method: string, ...params: unknown[]): Promise<void> {
  const { error } = await node.rpc(method, ...params);
  assert.equal(error?.code, code, `${method}: ${error?.message}`);
  if (typeof message === "string") assert.equal(error.message, message);
  else assert.match(error.message, message);
}

async function pooled(hash: unknown) {
  const tx = await result("eth_getTransactionByHash", hash);
  return tx as Readonly<Record<string, string>>;
}

const MAIL = {
  types: {
    Mail: [
      { name: "to", type: "address" },
      { name: "lines", type: "string[]" },
    ],
  },
  primaryType: "Mail",
  domain: { name: "Post", chainId: 358_587 },
  message: { to: NOBODY, lines: ["a", "b"] },
} as const;

test("eth_accounts names the key store's accounts", async () => {
  assert.deepEqual(new Set((await result("eth_accounts")) as string[]), new Set([ALICE, BOB]));
});

test("eth_sign and typed data are what viem signs", async () => {
  const message = "0x68656c6c6f";
  assert.equal(await result("eth_sign", ALICE, message), await alice.signMessage({ message: { raw: message } }));
  const signature = await alice.signTypedData(MAIL);
  for (const data of [MAIL, JSON.stringify(MAIL)]) {
    assert.equal(await result("eth_signTypedData_v4", ALICE, data), signature);
    assert.equal(await result("eth_signTypedData", ALICE, data), signature);
  }
  await fails(-32602, /arrays need version 4/, "eth_signTypedData_v3", ALICE, MAIL);
  await fails(-32602, /^invalid argument 1: /, "eth_signTypedData_v4", ALICE, { ...MAIL, primaryType: "Other" });
  await fails(-32602, /no JSON text/, "eth_signTypedData_v4", ALICE, "{");
});

test("a locked account signs nothing, an unknown one is unknown", async () => {
  const tx = { from: BOB, to: NOBODY };
  const full = { ...tx, gas: "0x5208", gasPrice: "0x1", nonce: "0x0" };
  for (const [method, ...params] of [
    ["eth_sign", BOB, "0x"],
    ["eth_signTypedData_v4", BOB, MAIL],
    ["eth_signTransaction", full],
    ["eth_sendTransaction", tx],
  ] as const) {
    await fails(-32000, "authentication needed: password or unlock", method, ...params);
  }
  await fails(-32000, "unknown account", "eth_sign", NOBODY, "0x");
  await fails(-32000, "unknown account", "eth_sendTransaction", { from: NOBODY, to: BOB });
  await fails(-32602, /from: missing/, "eth_sendTransaction", { to: BOB });
});

test("ethers' and viem's node accounts sign and send", async () => {
  const provider = new JsonRpcProvider(node.url);
  const signer = await provider.getSigner(ALICE);
  assert.equal(await signer._legacySignMessage("hello"), await alice.signMessage({ message: "hello" }));
  const types = { Mail: MAIL.types.Mail.map((field) => ({ ...field })) };
  const message = { to: NOBODY, lines: ["a", "b"] };
  assert.equal(await signer.signTypedData(MAIL.domain, types, message), await alice.signTypedData(MAIL));
  const sent = await signer.sendUncheckedTransaction({ to: NOBODY, value: 3n });
  assert.equal((await pooled(sent)).value, "0x3");
  provider.destroy();
  const chain = defineChain({
    ...{ id: 358_587, name: "Cairn", rpcUrls: { default: { http: [node.url] } } },
    nativeCurrency: { name: "Cairn", symbol: "CRN", decimals: 18 },
  });
  const wallet = createWalletClient({ account: ALICE, chain, transport: http(node.url) });
  assert.equal(await wallet.signTypedData(MAIL), await alice.signTypedData(MAIL));
  const hash = await wallet.sendTransaction({ to: NOBODY, value: 4n, gas: 21_000n });
  assert.equal((await pooled(hash)).from, ALICE);
  await node.produce();
});

const TO_SIGN = { from: ALICE, to: NOBODY, gas: "0x5208", nonce: "0x7", value: "0x1", input: "0x0102" };
const DYNAMIC = { maxFeePerGas: hex(3n * GWEI), maxPriorityFeePerGas: hex(GWEI) };

/** The fields that make a transaction of each type, and the same transaction in viem's words. */
async function everyType() {
  const common = { chainId: 358_587, to: NOBODY, gas: 21_000n, nonce: 7, value: 1n, data: "0x0102" } as const;
  const accessList = [{ address: NOBODY, storageKeys: [`0x${"01".repeat(32)}`] }] as const;
  const fees = { maxFeePerGas: 3n * GWEI, maxPriorityFeePerGas: GWEI };
  const authority = privateKeyToAccount(toHex(ALICE_KEY));
  const authorization = await authority.signAuthorization({ chainId: 358_587, contractAddress: NOBODY, nonce: 8 });
  const signed = {
    ...{ address: NOBODY, chainId: hex(358_587), nonce: "0x8", yParity: hex(authorization.yParity ?? 0) },
    ...{ r: hex(BigInt(authorization.r)), s: hex(BigInt(authorization.s)) },
  };
  const gasPrice = hex(GWEI);
  return [
    [{ gasPrice }, { type: "legacy", ...common, gasPrice: GWEI }],
    [
      { gasPrice, accessList },
      { type: "eip2930", ...common, gasPrice: GWEI, accessList },
    ],
    [
      { ...DYNAMIC, accessList },
      { type: "eip1559", ...common, ...fees, accessList },
    ],
    [
      { ...DYNAMIC, authorizationList: [signed] },
      { type: "eip7702", ...common, ...fees, authorizationList: [authorization] },
    ],
  ] as const;
}

test("eth_signTransaction gives every type as viem signs it", async () => {
  for (const [fields, expected] of await everyType()) {
    const { raw, tx } = (await result("eth_signTransaction", { ...TO_SIGN, ...fields })) as {
      raw: `0x${string}`;
      tx: Record<string, unknown>;
    };
    assert.equal(raw, await alice.signTransaction(expected));
    assert.equal(parseTransaction(raw).type, expected.type);
    assert.equal(
      (await recoverTransactionAddress({ serializedTransaction: raw as `0x02${string}` })).toLowerCase(),
      ALICE,
    );
    assert.equal(tx.nonce, "0x7");
    assert.equal(tx.gasPrice, "gasPrice" in expected ? hex(GWEI) : null);
  }
});

test("eth_signTransaction wants a transaction complete and affordable", async () => {
  await fails(-32000, "gas not specified", "eth_signTransaction", { ...TO_SIGN, gas: undefined });
  await fails(-32000, "nonce not specified", "eth_signTransaction", { ...TO_SIGN, ...DYNAMIC, nonce: undefined });
  const partial = { ...TO_SIGN, maxFeePerGas: "0x1" };
  await fails(-32000, /^missing gasPrice or maxFeePerGas/, "eth_signTransaction", partial);
  const dear = { ...TO_SIGN, gasPrice: hex(10n ** 15n) };
  await fails(-32000, /^tx fee \(21\.00 ether\) exceeds/, "eth_signTransaction", dear);
});

test("eth_sendTransaction fills gas, value, nonce and fees", async () => {
  const nonce = BigInt((await result("eth_getTransactionCount", ALICE, "pending")) as string);
  const hashes = await Promise.all(
    Array.from({ length: 20 }, () => result("eth_sendTransaction", { from: ALICE, to: NOBODY })),
  );
  const txs = await Promise.all(hashes.map(pooled));
  assert.deepEqual(
    txs.map((tx) => BigInt(tx.nonce ?? "0x")).sort((a, b) => Number(a - b)),
    Array.from({ length: 20 }, (_, i) => nonce + BigInt(i)),
  );
  const [tx = {}] = txs;
  assert.deepEqual([tx.gas, tx.value, tx.type, tx.input], ["0x15f90", "0x0", "0x2", "0x"]);
  const tip = await result("eth_maxPriorityFeePerGas");
  assert.equal(tx.maxPriorityFeePerGas, tip);
  const base = node.chain.head().nextBaseFeePerGasWei;
  assert.equal(BigInt(tx.maxFeePerGas ?? "0x"), BigInt(String(tip)) + 2n * base);
  const aliased = await pooled(await result("eth_sendTransaction", { from: ALICE, to: NOBODY, gasLimit: "0x5555" }));
  assert.equal(aliased.gas, "0x5555");
  const legacy = await result("eth_sendTransaction", { from: ALICE, to: NOBODY, gasPrice: hex(2n * GWEI) });
  assert.deepEqual([(await pooled(legacy)).type, (await pooled(legacy)).gasPrice], ["0x0", hex(2n * GWEI)]);
  await node.produce();
  const receipt = (await result("eth_getTransactionReceipt", hashes[0])) as { status: string };
  assert.equal(receipt.status, "0x1");
});

test("a nonce that stands in the pool replaces, with fees a tenth higher where none are given", async () => {
  const nonce = await result("eth_getTransactionCount", ALICE, "pending");
  const first = {
    from: ALICE,
    to: NOBODY,
    nonce,
    maxFeePerGas: hex(50n * GWEI),
    maxPriorityFeePerGas: hex(7n * GWEI + 1n),
  };
  const replaced = await result("eth_sendTransaction", first);
  const hash = await result("eth_sendTransaction", { from: ALICE, to: NOBODY, nonce, value: "0x9" });
  const tx = await pooled(hash);
  assert.equal(BigInt(tx.maxFeePerGas ?? "0x"), 55n * GWEI);
  assert.equal(BigInt(tx.maxPriorityFeePerGas ?? "0x"), (77n * GWEI) / 10n + 2n);
  assert.equal(await pooled(replaced), null);
  await fails(-32000, "replacement transaction underpriced", "eth_sendTransaction", { ...first, value: "0x1" });
  await node.produce();
  await fails(-32000, /^nonce too low/, "eth_sendTransaction", { ...first, nonce: "0x0" });
});

test("eth_sendTransaction refuses contradictions", async () => {
  const tx = { from: ALICE, to: NOBODY };
  await fails(-32000, /^chainId does not match/, "eth_sendTransaction", { ...tx, chainId: "0x1" });
  await fails(-32000, /^both gasPrice and/, "eth_sendTransaction", { ...tx, gasPrice: "0x1", maxFeePerGas: "0x1" });
  await fails(-32000, "contract creation without any data provided", "eth_sendTransaction", { from: ALICE });
  await fails(-32000, /exceeds the configured cap/, "eth_sendTransaction", { ...tx, gasPrice: hex(10n ** 15n) });
  await fails(-32602, /blob transactions/, "eth_sendTransaction", { ...tx, blobVersionedHashes: [] });
  const created = await pooled(
    await result("eth_sendTransaction", { from: ALICE, data: "0x00", chainId: hex(358_587) }),
  );
  assert.equal(created.to, null);
  await node.produce();
});

test("eth_fillTransaction completes without signing", async () => {
  const { raw, tx } = (await result("eth_fillTransaction", { from: ALICE, to: NOBODY, value: "0x1" })) as {
    raw: `0x${string}`;
    tx: Readonly<Record<string, string>>;
  };
  const nonce = Number(await result("eth_getTransactionCount", ALICE, "pending"));
  const base = node.chain.head().nextBaseFeePerGasWei;
  const tip = BigInt(String(await result("eth_maxPriorityFeePerGas")));
  const fees = { maxPriorityFeePerGas: tip, maxFeePerGas: tip + 2n * base };
  const draft = { type: "eip1559", chainId: 358_587, to: NOBODY, value: 1n, gas: 21_000n, nonce, ...fees } as const;
  const parsed = parseTransaction(raw);
  assert.deepEqual({ ...draft, ...parsed }, parsed);
  assert.deepEqual({ ...parsed, ...draft }, parsed);
  assert.deepEqual([tx.r, tx.s, tx.v, tx.gas, tx.nonce], ["0x0", "0x0", "0x0", "0x5208", hex(nonce)]);
  const anonymous = (await result("eth_fillTransaction", { to: NOBODY, gas: "0x5208" })) as { tx: { nonce: string } };
  assert.equal(anonymous.tx.nonce, "0x0");
  await fails(-32000, "contract creation without any data provided", "eth_fillTransaction", { from: ALICE });
});

test("callers from elsewhere need the token, or the setting", async () => {
  const { signal } = new AbortController();
  const from = (remoteAddress: string, authorization?: string): CallContext => ({
    ...{ transport: "http", remoteAddress, signal },
    ...(authorization === undefined ? {} : { authorization }),
  });
  const options = {
    ...{ clientVersion: "x", namespaces: [], keystore: node.keystore, saveMinGasPrice: async () => {} },
  };
  const strict = createHandlers(node.chain, options);
  const lax = createHandlers(node.chain, { ...options, allowInsecureUnlock: true, estimateGas: true });
  const expected = `"${await alice.signMessage({ message: { raw: "0x01" } })}"`;
  const sign = (handlers: typeof strict, context: CallContext) => {
    const run = async () => handlers.eth.eth_sign([ALICE, hexToBytes("0x01")], context);
    return run();
  };
  for (const remote of ["10.0.0.1", "::ffff:192.168.0.1", "2001:db8::1", "127.evil", ""]) {
    await assert.rejects(sign(strict, from(remote)), { code: 4100 }, remote);
    assert.equal(await sign(lax, from(remote)), expected);
    assert.equal(await sign(strict, from(remote, "Bearer right")), expected);
  }
  for (const remote of ["127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1"]) {
    assert.equal(await sign(strict, from(remote)), expected);
  }
  const tx = { from: ALICE, to: NOBODY, value: 1n, authorizations: 0 };
  await assert.rejects(async () => strict.eth.eth_sendTransaction([tx], from("10.0.0.1")), { code: 4100 });
  await assert.rejects(async () => strict.eth.eth_signTransaction([tx], from("10.0.0.1")), { code: 4100 });
  await assert.rejects(async () => strict.eth.eth_signTypedData_v4([ALICE, MAIL], from("10.0.0.1")), { code: 4100 });
  const estimated = await lax.eth.eth_sendTransaction([tx], from("10.0.0.1"));
  assert.equal((await pooled(JSON.parse(estimated))).gas, "0x5208");
  strict.close();
  lax.close();
});
