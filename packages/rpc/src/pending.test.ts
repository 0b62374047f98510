import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Address, type Hex, keccak256, pad, toHex } from "viem";
import { mnemonicToAccount } from "viem/accounts";
import { type LiveNode, startLiveNode } from "./testing/live-node.ts";

const MNEMONIC = "test test test test test test test test test test test junk";
const alice = mnemonicToAccount(MNEMONIC, { addressIndex: 2 });
const taker: Address = `0x${"7a".repeat(20)}`;
/** Init code of a contract: SSTORE(0, CALLVALUE), then answers SLOAD(0). */
const KEEPS: Hex = "0x6a345f555f545f5260205ff35f52600b6015f3";

let node: LiveNode;
let contract: Address;
before(async () => {
  node = await startLiveNode({ automine: false });
  const hash = await send({ data: KEEPS, gas: 200_000n });
  await node.produce();
  contract = ((await ok("eth_getTransactionReceipt", hash)) as { contractAddress: Address }).contractAddress;
});
after(async () => {
  assert.deepEqual(node.faults, []);
  await node.close();
});

async function ok(method: string, ...params: unknown[]): Promise<unknown> {
  const { result, error } = await node.rpc(method, ...params);
  assert.equal(error, undefined, `${method}: ${error?.message}`);
  return result;
}

async function send(tx: { to?: Address; value?: bigint; data?: Hex; gas?: bigint }): Promise<Hex> {
  const nonce = Number(await ok("eth_getTransactionCount", alice.address, "pending"));
  const fees = { maxFeePerGas: 3_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n };
  const raw = await alice.signTransaction({ type: "eip1559", chainId: 358_587, nonce, gas: 90_000n, ...fees, ...tx });
  return (await ok("eth_sendRawTransaction", raw)) as Hex;
}

let transfer: Hex;
let stored: Hex;

test("what reads a state reads that of the executed pending block", async () => {
  [transfer, stored] = [await send({ to: taker, value: 42n }), await send({ to: contract, value: 9n })];
  assert.equal(await ok("eth_getBalance", taker, "latest"), "0x0");
  assert.equal(await ok("eth_getBalance", taker, "pending"), "0x2a");
  assert.equal(await ok("eth_getBalance", taker, { blockNumber: "pending" }), "0x2a");
  assert.equal(await ok("eth_getStorageAt", contract, "0x0", "latest"), pad("0x00"));
  assert.equal(await ok("eth_getStorageAt", contract, "0x0", "pending"), pad("0x09"));
  assert.deepEqual(await ok("eth_getStorageValues", { [contract]: [pad("0x00")] }, "pending"), {
    [contract]: [pad("0x09")],
  });
  const header = (await ok("eth_getHeaderByNumber", "pending")) as Record<string, unknown>;
  const proof = (await ok("eth_getProof", contract, ["0x0"], "pending")) as {
    accountProof: Hex[];
    storageProof: { value: Hex }[];
  };
  assert.equal(proof.storageProof[0]?.value, "0x9");
  assert.equal(keccak256(proof.accountProof[0] ?? "0x"), header.stateRoot);
});

test("what reads a block reads the executed pending one, and the mined one is the same", async () => {
  const block = (await ok("eth_getBlockByNumber", "pending", true)) as Record<string, unknown>;
  const head = (await ok("eth_getBlockByNumber", "latest", false)) as Record<string, unknown>;
  assert.deepEqual([block.hash, block.nonce, block.miner], [null, null, null]);
  assert.deepEqual([block.parentHash, block.number], [head.hash, toHex(Number(head.number) + 1)]);
  const transactions = block.transactions as Record<string, unknown>[];
  assert.deepEqual(
    transactions.map(({ hash }) => hash),
    [transfer, stored],
  );
  assert.deepEqual(transactions[0], await ok("eth_getTransactionByHash", transfer));
  assert.deepEqual(transactions[0], await ok("eth_getTransactionByBlockNumberAndIndex", "pending", "0x0"));
  assert.equal(await ok("eth_getTransactionByBlockNumberAndIndex", "pending", "0x2"), null);
  assert.equal(await ok("eth_getBlockTransactionCountByNumber", "pending"), "0x2");
  const raw = (await ok("eth_getRawTransactionByBlockNumberAndIndex", "pending", "0x1")) as Hex;
  assert.equal(keccak256(raw), stored);
  const receipts = (await ok("eth_getBlockReceipts", "pending")) as Record<string, unknown>[];
  assert.deepEqual(
    receipts.map(({ transactionHash, status }) => [transactionHash, status]),
    [
      [transfer, "0x1"],
      [stored, "0x1"],
    ],
  );
  assert.equal(block.gasUsed, receipts[1]?.cumulativeGasUsed);

  await node.produce();
  const mined = (await ok("eth_getBlockByNumber", "latest", false)) as Record<string, unknown>;
  assert.deepEqual(
    [mined.gasUsed, mined.receiptsRoot, mined.transactionsRoot],
    [block.gasUsed, block.receiptsRoot, block.transactionsRoot],
  );
  const empty = (await ok("eth_getBlockByNumber", "pending", false)) as Record<string, unknown>;
  assert.deepEqual([empty.transactions, empty.gasUsed, empty.parentHash], [[], "0x0", mined.hash]);
});

test("calls, estimates, access lists and simulations run on the pending state", async () => {
  await send({ to: contract, value: 77n });
  const read = { to: contract };
  assert.equal(await ok("eth_call", read, "latest"), pad("0x00"), "a call of no value stores none");
  const code: Hex = "0x5f545f5260205ff3";
  const overrides = { [contract]: { code } };
  assert.equal(await ok("eth_call", read, "latest", overrides), pad("0x09"));
  assert.equal(await ok("eth_call", read, "pending", overrides), pad(toHex(77)));
  const moves = { from: contract, to: taker, value: toHex(86) };
  const poor = await node.rpc("eth_call", { ...moves, gasPrice: "0x0" }, "latest");
  assert.match(poor.error?.message ?? "", /insufficient funds/);
  assert.equal(await ok("eth_call", moves, "pending"), "0x");
  assert.match(String(await ok("eth_estimateGas", moves, "pending")), /^0x5208$/);
  const listed = (await ok("eth_createAccessList", read, "pending", overrides)) as { accessList: unknown[] };
  assert.deepEqual(listed.accessList, [{ address: contract, storageKeys: [pad("0x00")] }]);
  const next = { to: "0x", data: "0x435f5260205ff3" };
  const number = Number(await ok("eth_blockNumber"));
  const simulated = (await ok(
    "eth_simulateV1",
    { blockStateCalls: [{ calls: [moves, { to: contract }], stateOverrides: overrides }] },
    "pending",
  )) as { number: Hex; calls: { status: Hex; returnData: Hex }[] }[];
  assert.equal(Number(simulated[0]?.number), number + 2);
  assert.deepEqual(
    simulated[0]?.calls.map(({ status }) => status),
    ["0x1", "0x1"],
  );
  assert.equal(simulated[0]?.calls[1]?.returnData, pad(toHex(77)));
  const inside = (await ok("eth_call", { data: next.data }, "pending")) as Hex;
  assert.equal(BigInt(inside), BigInt(number + 1));
});

test("the history of fees ends with the pending block", async () => {
  const number = Number(await ok("eth_blockNumber"));
  const history = (await ok("eth_feeHistory", "0x2", "pending", [50])) as {
    oldestBlock: Hex;
    reward: Hex[][];
    gasUsedRatio: number[];
    baseFeePerGas: Hex[];
  };
  assert.equal(Number(history.oldestBlock), number);
  assert.deepEqual(history.reward.at(-1), [toHex(1_000_000_000)]);
  assert.ok((history.gasUsedRatio.at(-1) ?? 0) > 0);
  assert.equal(history.baseFeePerGas.length, 3);
  await node.produce();
});

test("eth_callMany: each call sees what the ones before left, inside a block too", async () => {
  const adds: Hex = "0x345f54015f555f545f5260205ff3";
  const stateOverrides = { [contract]: { code: adds }, [alice.address]: { balance: toHex(10n ** 18n) } };
  const call = (value: number) => ({ from: alice.address, to: contract, value: toHex(value) });
  const bundle = { transactions: [call(1), call(2)] };
  const word = (value: number) => ({ value: pad(toHex(value)) });
  assert.deepEqual(await ok("eth_callMany", [bundle, { transactions: [call(3)] }], {}, stateOverrides), [
    [word(78), word(80)],
    [word(83)],
  ]);
  const block = await ok("eth_blockNumber");
  const before = { blockNumber: block, transactionIndex: 0 };
  assert.deepEqual(await ok("eth_callMany", [bundle], before, stateOverrides), [[word(10), word(12)]]);
  const all = { blockNumber: block, transactionIndex: -1 };
  assert.deepEqual(await ok("eth_callMany", [bundle], all, stateOverrides), [[word(78), word(80)]]);
  const number = { data: "0x435f5260205ff3" };
  const seen = [{ transactions: [number], blockOverride: { number: toHex(4_000) } }, { transactions: [number] }];
  assert.deepEqual(await ok("eth_callMany", seen), [[word(4_000)], [word(Number(block))]]);
});

test("eth_callMany: failures stand in their place, contradictions refuse the whole", async () => {
  const fails = [
    { data: "0x5f5ffd" },
    { data: "0x01" },
    { from: taker, to: contract, value: toHex(10n ** 30n) },
    { data: "0x600160005260206000f3" },
  ];
  const [results] = (await ok("eth_callMany", [{ transactions: fails }])) as { value?: Hex; error?: string }[][];
  assert.deepEqual(results?.slice(0, 2), [
    { error: "execution reverted", data: "0x" },
    { error: "stack underflow (0 <=> 2)" },
  ]);
  assert.match(results?.[2]?.error ?? "", /^err: insufficient funds for gas \* price \+ value: address 0x7A7a/);
  assert.equal(results?.[3]?.value, pad("0x01"));
  const refused = async (code: number, message: RegExp, ...params: unknown[]) => {
    const { error } = await node.rpc("eth_callMany", ...params);
    assert.equal(error?.code, code, error?.message);
    assert.match(error.message, message);
  };
  await refused(-32602, /bundles are empty/, []);
  await refused(-38026, /at most 1000/, [{ transactions: Array.from({ length: 1001 }, () => ({})) }]);
  await refused(-32602, /transactionIndex: expected an index/, [{ transactions: [] }], { transactionIndex: -2 });
  await refused(-32000, /^header not found$/, [{ transactions: [{}] }], { blockNumber: "0xffff" });
  await refused(-32000, /execution aborted \(timeout = 1ms\)/, [{ transactions: [{ data: "0x5b5f56" }] }], {}, {}, 1);
});
