import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Address, createPublicClient, defineChain, type Hex, http, keccak256, pad, toHex } from "viem";
import { mnemonicToAccount, privateKeyToAccount } from "viem/accounts";
import { type LiveNode, startLiveNode } from "./testing/live-node.ts";

const MNEMONIC = "test test test test test test test test test test test junk";
const alice = mnemonicToAccount(MNEMONIC, { addressIndex: 0 });
const poor = privateKeyToAccount(`0x${"0d".repeat(32)}`);
const at: Address = `0x${"c0de".repeat(10)}`;
const other: Address = `0x${"12".repeat(20)}`;
/** SSTORE(0, SLOAD(0) + 1), then LOG0 of nothing, then answers the word. */
const COUNTS: Hex = "0x5f546001015f555f5fa05f545f5260205ff3";

let node: LiveNode;
before(async () => {
  node = await startLiveNode({ automine: false });
  for (let i = 0; i < 3; i += 1) await node.produce();
});
after(async () => {
  assert.deepEqual(node.faults, []);
  await node.close();
});

function client() {
  const chain = defineChain({
    id: 358_587,
    name: "Cairn",
    nativeCurrency: { name: "Cairn", symbol: "CRN", decimals: 18 },
    rpcUrls: { default: { http: [node.url] } },
  });
  return createPublicClient({ chain, transport: http(node.url) });
}

interface SimulatedCall {
  readonly status: Hex;
  readonly returnData: Hex;
  readonly gasUsed: Hex;
  readonly logs: readonly { readonly address: Address; readonly topics: readonly Hex[]; readonly data: Hex }[];
  readonly error?: { readonly code: number; readonly message: string; readonly data?: Hex };
}
interface Simulated {
  readonly number: Hex;
  readonly hash: Hex;
  readonly parentHash: Hex;
  readonly stateRoot: Hex;
  readonly timestamp: Hex;
  readonly gasUsed: Hex;
  readonly transactions: readonly unknown[];
  readonly calls: readonly SimulatedCall[];
}
const simulate = async (blockStateCalls: readonly object[], options: object = {}): Promise<Simulated[]> => {
  const { result, error } = await node.rpc("eth_simulateV1", { blockStateCalls, ...options });
  assert.equal(error, undefined, error?.message);
  return result as Simulated[];
};
const fails = async (code: number, message: RegExp, blockStateCalls: readonly object[], options: object = {}) => {
  const { error } = await node.rpc("eth_simulateV1", { blockStateCalls, ...options });
  assert.equal(error?.code, code, error?.message);
  assert.match(error.message, message);
};

test("viem simulates blocks: state flows from call to call and from block to block", async () => {
  const call = { account: alice.address, to: at };
  const blocks = await client().simulateBlocks({
    blocks: [{ calls: [call, call], stateOverrides: [{ address: at, code: COUNTS }] }, { calls: [call] }],
  });
  const counts = blocks.flatMap((block) => block.calls.map(({ data }) => BigInt(data)));
  assert.deepEqual(counts, [1n, 2n, 3n]);
  assert.deepEqual(
    blocks.map(({ number }) => number),
    [node.chain.head().number + 1n, node.chain.head().number + 2n],
  );
  assert.equal(blocks[0]?.calls[0]?.logs?.length, 1);
});

test("gaps are filled, headers hash as they stand, transactions are whole where asked", async () => {
  const head = node.chain.head();
  const calls = [{ from: alice.address, to: other, value: "0x5" }];
  const number = toHex(head.number + 3n);
  const blocks = await simulate([{ blockOverrides: { number }, calls }], { returnFullTransactions: true });
  assert.deepEqual(
    blocks.map((block) => BigInt(block.number)),
    [1n, 2n, 3n].map((n) => head.number + n),
  );
  assert.deepEqual(
    blocks.map((block) => BigInt(block.timestamp)),
    [12n, 24n, 36n].map((s) => head.timestamp + s),
  );
  assert.equal(blocks[0]?.parentHash, head.hash);
  assert.equal(blocks[2]?.parentHash, blocks[1]?.hash);
  assert.notEqual(blocks[2]?.stateRoot, blocks[1]?.stateRoot);
  const [tx] = (blocks[2]?.transactions ?? []) as { from: Address; hash: Hex; type: Hex }[];
  assert.deepEqual([tx?.from, tx?.type], [alice.address.toLowerCase(), "0x2"]);
});

test("transfers appear as logs; what failed leaves none", async () => {
  // CALL(other, 7), then the code goes on to revert or not.
  const pays = `5f5f5f5f600773${other.slice(2)}5af1`;
  const overrides = { [at]: { balance: "0x64", code: `0x${pays}50` } };
  const reverts = { [at]: { balance: "0x64", code: `0x${pays}5f5ffd` } };
  const calls = [{ from: alice.address, to: at, value: "0x9" }];
  const [kept] = await simulate([{ stateOverrides: overrides, calls }], { traceTransfers: true });
  const words = kept?.calls[0]?.logs.map(({ address, data, topics }) => [address, BigInt(data), topics.length]);
  const coin = `0x${"ee".repeat(20)}`;
  assert.deepEqual(words, [
    [coin, 9n, 3],
    [coin, 7n, 3],
  ]);
  const [undone] = await simulate([{ stateOverrides: reverts, calls }], { traceTransfers: true });
  assert.deepEqual(undone?.calls[0]?.logs, []);
  assert.deepEqual([undone?.calls[0]?.status, undone?.calls[0]?.error?.code], ["0x0", 3]);
  const [plain] = await simulate([{ stateOverrides: overrides, calls }]);
  assert.deepEqual(plain?.calls[0]?.logs, []);
});

test("errors carry geth's codes", async () => {
  const call = { from: alice.address, to: other };
  await fails(-32602, /^empty input$/, []);
  await fails(-38026, /^too many blocks$/, Array(257).fill({}));
  await fails(-38026, /^too many blocks$/, [{ blockOverrides: { number: toHex(node.chain.head().number + 300n) } }]);
  await fails(-38020, /^block numbers must be in order: 1 <= 3$/, [{ blockOverrides: { number: "0x1" } }]);
  await fails(-38021, /^block timestamps must be in order: 1 <= /, [{ blockOverrides: { time: "0x1" } }]);
  await fails(-38015, /^block gas limit reached: remaining: /, [{ calls: [{ ...call, gas: "0xfffffffffff" }] }]);
  await fails(-38014, /insufficient funds/, [{ calls: [{ from: poor.address, to: other, value: "0x1" }] }]);
  await fails(-38013, /intrinsic gas too low/, [{ calls: [{ ...call, gas: "0x5" }] }]);
  await fails(-38011, /nonce too high/, [{ calls: [{ ...call, nonce: "0x9" }] }], { validation: true });
  const priced = { ...call, maxFeePerGas: "0x1" };
  await fails(-38012, /max fee per gas less than block base fee/, [{ calls: [priced] }], { validation: true });
  const [block] = await simulate([{ stateOverrides: { [at]: { code: "0xfe" } }, calls: [{ to: at }] }]);
  assert.equal(block?.calls[0]?.error?.code, -32015);
  assert.match(String(block?.calls[0]?.error?.message), /^invalid opcode: INVALID/);
});

test("access lists settle and make the call what it costs", async () => {
  const reads = `5f54505f73${other.slice(2)}31505b`;
  const state = { [at]: { code: `0x${reads}` } };
  const call = { from: alice.address, to: at };
  const { result } = await node.rpc("eth_createAccessList", call, "latest", state);
  const { accessList, gasUsed } = result as { accessList: object[]; gasUsed: Hex };
  assert.deepEqual(accessList, [
    { address: other, storageKeys: [] },
    { address: at, storageKeys: [pad("0x0")] },
  ]);
  const [block] = await simulate([{ stateOverrides: state, calls: [{ ...call, accessList }] }]);
  assert.equal(block?.calls[0]?.gasUsed, gasUsed);
  const viem = await client().createAccessList({ account: alice.address, to: other, value: 1n });
  assert.deepEqual(viem.accessList, []);
  const failing = await node.rpc("eth_createAccessList", { to: at }, "latest", { [at]: { code: "0x5f5ffd" } });
  assert.equal((failing.result as { error?: string }).error, "execution reverted");
});

test("a transaction is sent and its receipt answered, or the time ran out", async () => {
  const fees = { maxFeePerGas: 2_000_000_000n, maxPriorityFeePerGas: 2_000_000_000n };
  const sign = (nonce: number) =>
    alice.signTransaction({ type: "eip1559", chainId: 358_587, nonce, to: other, value: 1n, gas: 21_000n, ...fees });
  const first = await sign(0);
  const late = await node.rpc("eth_sendRawTransactionSync", first, 1);
  assert.deepEqual([late.error?.code, late.error?.data], [4, keccak256(first)]);
  assert.match(String(late.error?.message), /wasn't processed in 1ms$/);
  const second = await sign(1);
  const waiting = node.rpc("eth_sendRawTransactionSync", second);
  const arrived = new Promise<void>((resolve) => {
    const stop = node.chain.onPending(() => {
      stop();
      resolve();
    });
  });
  await arrived;
  await node.produce();
  const { result } = await waiting;
  assert.equal((result as { transactionHash: Hex }).transactionHash, keccak256(second));
  const found = await node.rpc("eth_getTransactionBySenderAndNonce", alice.address, "0x1");
  const byHash = await node.rpc("eth_getTransactionByHash", keccak256(second));
  assert.deepEqual(found.result, byHash.result);
  assert.equal((await node.rpc("eth_getTransactionBySenderAndNonce", alice.address, "0x7")).result, null);
});

test("several words at once; pending transactions of own accounts; the fork in force", async () => {
  const slots = { [other]: [pad("0x0")], [at]: [pad("0x1"), pad("0x2")] };
  const { result } = await node.rpc("eth_getStorageValues", slots);
  assert.deepEqual(result, { [other]: [pad("0x0")], [at]: [pad("0x0"), pad("0x0")] });
  const unpadded = { [other]: ["0x0"], [at]: ["0x1", "0x02"] };
  assert.deepEqual((await node.rpc("eth_getStorageValues", unpadded)).result, result);
  const tooLong = await node.rpc("eth_getStorageValues", { [at]: [`0x${"1".repeat(65)}`] });
  assert.equal(tooLong.error?.code, -32602);
  assert.equal((await node.rpc("eth_getStorageValues", {})).error?.message, "empty request");
  assert.deepEqual((await node.rpc("eth_pendingTransactions")).result, []);
  const { current } = (await node.rpc("eth_config")).result as {
    current: { chainId: Hex; forkId: Hex; precompiles: object };
  };
  assert.equal(current.chainId, toHex(358_587));
  assert.match(current.forkId, /^0x[0-9a-f]{8}$/);
  assert.equal(Object.keys(current.precompiles).length, 18);
});
