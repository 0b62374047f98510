import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Address, createPublicClient, defineChain, type Hex, http, pad, toHex } from "viem";
import { mnemonicToAccount, privateKeyToAccount } from "viem/accounts";
import { type LiveNode, startLiveNode } from "./testing/live-node.ts";

const MNEMONIC = "test test test test test test test test test test test junk";
const alice = mnemonicToAccount(MNEMONIC, { addressIndex: 3 });
const bob = privateKeyToAccount(`0x${"0b".repeat(32)}`);
const at: Address = `0x${"c0de".repeat(10)}`;
const elsewhere: Address = `0x${"12".repeat(20)}`;
const IDENTITY: Address = `0x${"0".repeat(39)}4`;
/** Answers one word: the code ends with it on the stack. */
const answer = (code: string): Hex => `0x${code}5f5260205ff3`;
/** SLOAD(0). */
const READS_SLOT_0 = answer("5f54");

let node: LiveNode;
before(async () => {
  node = await startLiveNode({ automine: false });
});
after(async () => {
  assert.deepEqual(node.faults, []);
  await node.close();
});

const word = async (code: string, block: object = {}, state: object = {}): Promise<bigint> => {
  const { result, error } = await node.rpc(
    "eth_call",
    { to: at },
    "latest",
    { ...state, [at]: { code: answer(code) } },
    block,
  );
  assert.equal(error, undefined, error?.message);
  return BigInt(String(result));
};
const fails = async (message: RegExp, ...params: unknown[]): Promise<void> => {
  const { error } = await node.rpc("eth_call", ...params);
  assert.match(error?.message ?? "no error", message);
};

test("viem's state overrides: balance, nonce, code, whole storage, single words", async () => {
  const chain = defineChain({
    id: 358_587,
    name: "Cairn",
    nativeCurrency: { name: "Cairn", symbol: "CRN", decimals: 18 },
    rpcUrls: { default: { http: [node.url] } },
  });
  const client = createPublicClient({ chain, transport: http(node.url) });
  const slot = { slot: pad("0x0"), value: pad("0x2a") } as const;
  for (const storage of [{ state: [slot] }, { stateDiff: [slot] }]) {
    const override = [{ address: at, code: READS_SLOT_0, ...storage }];
    const { data } = await client.call({ to: at, stateOverride: override });
    assert.equal(data, pad("0x2a"));
  }
  const rich = [{ address: elsewhere, balance: 10n ** 30n }];
  const gas = await client.estimateGas({ account: elsewhere, to: at, value: 10n ** 29n, stateOverride: rich });
  assert.equal(gas, 21_000n);
  await assert.rejects(client.estimateGas({ account: elsewhere, to: at, value: 10n ** 29n }), /insufficient funds/);
  assert.equal(await word(`73${elsewhere.slice(2)}31`, {}, { [elsewhere]: { balance: "0x7" } }), 7n);
  const unchanged = await client.getBalance({ address: elsewhere });
  assert.equal(unchanged, 0n);
});

test("a whole storage hides the account's own, single words do not", async () => {
  const predeploy = "0x000000000000000000000000000000000000c002";
  const slot = pad("0x0");
  const own = await node.rpc("eth_getStorageAt", predeploy, slot, "latest");
  const reads = async (storage: object) =>
    (await node.rpc("eth_call", { to: predeploy }, "latest", { [predeploy]: { code: READS_SLOT_0, ...storage } }))
      .result;
  assert.equal(await reads({}), own.result);
  assert.equal(await reads({ state: {} }), pad("0x0"));
  assert.equal(await reads({ stateDiff: { [pad("0x1")]: pad("0x1") } }), own.result);
  assert.equal(await reads({ stateDiff: { [slot]: pad("0x9") } }), pad("0x9"));
});

test("every header field that a call can see", async () => {
  assert.equal(await word("43", { number: "0xffffffffff" }), 0xffffffffffn);
  assert.equal(await word("42", { time: "0x77" }), 0x77n);
  assert.equal(await word("45", { gasLimit: "0x99999" }), 0x99999n);
  assert.equal(await word("41", { feeRecipient: elsewhere }), BigInt(elsewhere));
  assert.equal(await word("44", { prevRandao: pad("0x5") }), 5n);
  assert.equal(await word("4a", { blobBaseFee: "0x33" }), 0x33n);
  // Without a price a call sees no base fee.
  assert.equal(await word("48", { baseFeePerGas: "0x8" }), 0n);
  const priced = { from: alice.address, to: at, gasPrice: "0x9", gas: "0x10000" };
  const state = { [at]: { code: answer("48") } };
  const { result } = await node.rpc("eth_call", priced, "latest", state, { baseFeePerGas: "0x8" });
  assert.equal(result, pad("0x8"));
  await fails(/block override "beaconRoot" is not supported/, { to: at }, "latest", {}, { beaconRoot: pad("0x1") });
  await fails(/block override "withdrawals" is not supported/, { to: at }, "latest", {}, { withdrawals: [{}] });
});

test("precompiles move and give way to code", async () => {
  const data = `0x${"ab".repeat(32)}`;
  const moved = { [IDENTITY]: { movePrecompileToAddress: elsewhere, code: answer("5f35600101") } };
  const there = await node.rpc("eth_call", { to: elsewhere, data }, "latest", moved);
  assert.equal(there.result, data);
  const here = await node.rpc("eth_call", { to: IDENTITY, data: pad("0x1") }, "latest", moved);
  assert.equal(here.result, pad("0x2"));
  const gone = await node.rpc("eth_call", { to: IDENTITY, data }, "latest", { [IDENTITY]: { balance: "0x0" } });
  assert.equal(gone.result, "0x");
  await fails(/^account 0x.{40} is not a precompile$/, { to: at }, "latest", {
    [at]: { movePrecompileToAddress: elsewhere },
  });
  await fails(/^account 0x.{40} is already overridden$/, { to: at }, "latest", {
    [IDENTITY]: { movePrecompileToAddress: elsewhere },
    [elsewhere]: { nonce: "0x1" },
  });
  await fails(/^account 0x.{40} has both 'state' and 'stateDiff'$/, { to: at }, "latest", {
    [at]: { state: {}, stateDiff: {} },
  });
});

test("authorizations take effect inside the call, and their gas is estimated", async () => {
  const { chainId, nonce, r, s, yParity } = await bob.signAuthorization({ address: at, chainId: 358_587, nonce: 0 });
  const tuple = { chainId: toHex(chainId), address: at, nonce: toHex(nonce), yParity: toHex(yParity ?? 0), r, s };
  const authorizationList = [{ ...tuple, r: toHex(BigInt(r)), s: toHex(BigInt(s)) }];
  const state = { [at]: { code: answer("30") } };
  const call = { from: alice.address, to: bob.address, authorizationList };
  const { result } = await node.rpc("eth_call", call, "latest", state);
  assert.equal(BigInt(String(result)), BigInt(bob.address));
  assert.equal((await node.rpc("eth_call", { ...call, authorizationList: undefined }, "latest", state)).result, "0x");
  const plain = BigInt(String((await node.rpc("eth_estimateGas", { to: elsewhere })).result));
  const estimate = BigInt(String((await node.rpc("eth_estimateGas", call, "latest", state)).result));
  assert.ok(estimate >= plain + 25_000n - 12_500n && estimate < plain + 27_000n, String(estimate));
  await fails(/empty auth list|authorization/, { ...call, authorizationList: [] }, "latest");
});

test("halts are told with their operands", async () => {
  const halted = (code: Hex, message: string) =>
    fails(new RegExp(`^${message.replaceAll(/[()<=>]/g, "\\$&")}$`), { to: at }, "latest", { [at]: { code } });
  await halted("0x01", "stack underflow (0 <=> 2)");
  await halted("0x5f81", "stack underflow (1 <=> 2)");
  await halted("0x5f91", "stack underflow (1 <=> 3)");
  await halted("0x0c", "invalid opcode: opcode 0xc not defined");
  await halted("0xef", "invalid opcode: opcode 0xef not defined");
  await halted("0xfe", "invalid opcode: INVALID");
  await halted("0x5b5f5f56", "stack limit reached 1024 (1023)");
  await halted("0x600456", "invalid jump destination");
  const { error } = await node.rpc("eth_estimateGas", { to: at }, "latest", { [at]: { code: "0x01" } });
  assert.equal(error?.message, "stack underflow (0 <=> 2)");
});
