import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { encodeFunctionData, getContractAddress, type Hex } from "viem";
import { mnemonicToAccount } from "viem/accounts";
import { type LiveNode, startLiveNode } from "./testing/live-node.ts";
import { compileTraceContract } from "./testing/trace-contract.ts";

const alice = mnemonicToAccount("test test test test test test test test test test test junk", { addressIndex: 6 });
const sender = alice.address.toLowerCase();
const contract = compileTraceContract();
const tree = getContractAddress({ from: alice.address, nonce: 0n }).toLowerCase() as Hex;
const leaf = getContractAddress({ from: tree, nonce: 1n }).toLowerCase() as Hex;

let node: LiveNode;
const hashes: Hex[] = [];

const does = (functionName: string, args: readonly unknown[] = []): Hex =>
  encodeFunctionData({ abi: contract.abi, functionName, args });

before(async () => {
  node = await startLiveNode({ automine: false });
  for (const [nonce, fields] of [
    { data: contract.bytecode, gas: 3_000_000n },
    { to: tree, data: does("make", [5n, `0x${"07".repeat(32)}`]), gas: 900_000n, value: 9n },
    { to: tree, data: does("refuse"), gas: 500_000n },
  ].entries()) {
    const fees = { maxFeePerGas: 20_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n };
    const raw = await alice.signTransaction({ type: "eip1559", chainId: 358_587, nonce, ...fees, ...fields });
    const { result, error } = await node.rpc("eth_sendRawTransaction", raw);
    assert.equal(error, undefined);
    hashes.push(String(result) as Hex);
    await node.produce();
  }
});
after(async () => {
  await node.close();
});

async function ask<T>(method: string, ...params: unknown[]): Promise<T> {
  const { result, error } = await node.rpc(method, ...params);
  assert.equal(error, undefined, `${method}: ${error?.message}`);
  return result as T;
}

interface Trace {
  readonly type: string;
  readonly action: { readonly from: Hex; readonly to?: Hex; readonly gas: Hex; readonly value?: Hex };
  readonly result?: { readonly address?: Hex; readonly gasUsed: Hex } | null;
  readonly error?: string;
  readonly subtraces: number;
  readonly traceAddress: readonly number[];
  readonly blockNumber: number;
  readonly blockHash: Hex;
  readonly transactionHash: Hex;
  readonly transactionPosition: number;
}

test("trace_transaction, trace_get, trace_block agree and name their place", async () => {
  const traces = await ask<Trace[]>("trace_transaction", hashes[1]);
  assert.deepEqual(
    traces.map(({ type, traceAddress }) => [type, ...traceAddress].join(" ")),
    ["call", "create 0", "create 1", "call 2", "call 3", "suicide 3 0"],
  );
  assert.equal(traces[0]?.subtraces, 4);
  assert.equal(traces[0]?.transactionHash, hashes[1]);
  assert.equal(traces[0]?.blockNumber, 2);
  const block = await ask<{ hash: Hex }>("eth_getBlockByNumber", "0x2", false);
  assert.equal(traces[0]?.blockHash, block.hash);
  assert.deepEqual(await ask("trace_block", "0x2"), traces);
  assert.deepEqual(await ask("trace_get", hashes[1], ["0x3", "0x0"]), traces[5]);
  assert.equal(await ask("trace_get", hashes[1], ["0x9"]), null);
  assert.equal(await ask("trace_transaction", `0x${"0e".repeat(32)}`), null);
  assert.deepEqual(await ask("trace_block", "0x0"), []);
  const failed = await ask<Trace[]>("trace_transaction", hashes[2]);
  assert.equal(failed[0]?.error, "Reverted");
});

test("trace_filter by sender and receiver, within its bounds", async () => {
  const all = await ask<Trace[]>("trace_filter", { fromBlock: "0x1", toBlock: "latest" });
  const made = await ask<Trace[]>("trace_filter", { fromBlock: "0x1", toBlock: "latest", toAddress: [leaf] });
  assert.ok(made.length > 0 && made.length < all.length);
  assert.ok(made.every(({ action, result }) => (action.to ?? result?.address) === leaf));
  const sent = await ask<Trace[]>("trace_filter", { fromBlock: "0x1", toBlock: "0x3", fromAddress: [sender] });
  assert.deepEqual(
    sent.map((item) => item.transactionHash),
    hashes,
  );
  assert.deepEqual(
    await ask("trace_filter", { fromBlock: "0x1", toBlock: "0x3", after: 1, count: 2 }),
    all.slice(1, 3),
  );
  const { error } = await node.rpc("trace_filter", { fromBlock: "0x3", toBlock: "0x1" });
  assert.equal(error?.code, -32602);
});

test("replays answer what is asked of them", async () => {
  type Replay = {
    output: Hex;
    trace: Trace[];
    stateDiff: Record<string, { balance: unknown }> | null;
    vmTrace: unknown;
  };
  const replayed = await ask<Replay>("trace_replayTransaction", hashes[1], ["trace", "stateDiff"]);
  assert.equal(replayed.trace.length, 6);
  assert.equal(replayed.vmTrace, null);
  assert.ok(replayed.stateDiff?.[sender]);
  const block = await ask<(Replay & { transactionHash: Hex })[]>("trace_replayBlockTransactions", "0x2", ["vmTrace"]);
  assert.equal(block[0]?.transactionHash, hashes[1]);
  assert.equal(block[0]?.stateDiff, null);
  assert.ok(((block[0]?.vmTrace as { ops: unknown[] } | null)?.ops.length ?? 0) > 100);
  const called = await ask<Replay>("trace_call", { to: tree, data: does("word") }, ["trace"], "0x1");
  assert.equal(BigInt(called.output), 7n);
});

test("Otterscan's questions", async () => {
  assert.equal(await ask("ots_getApiLevel"), 8);
  assert.equal(await ask("ots_hasCode", tree, "0x1"), true);
  assert.equal(await ask("ots_hasCode", tree, "0x0"), false);
  assert.deepEqual(await ask("ots_getContractCreator", leaf), { hash: hashes[0], creator: tree });
  assert.deepEqual(await ask("ots_getContractCreator", tree), { hash: hashes[0], creator: sender });
  assert.equal(await ask("ots_getContractCreator", sender), null);
  assert.equal(await ask("ots_getTransactionBySenderAndNonce", alice.address, 1), hashes[1]);
  assert.equal(await ask("ots_getTransactionBySenderAndNonce", alice.address, 3), null);
  assert.match(await ask("ots_getTransactionError", hashes[2]), /^0x08c379a0/);
  assert.equal(await ask("ots_getTransactionError", hashes[1]), "0x");
  const operations = await ask<{ type: number }[]>("ots_getInternalOperations", hashes[1]);
  assert.deepEqual(
    operations.map(({ type }) => type),
    [2, 3, 1],
  );
  const calls = await ask<{ type: string; depth: number }[]>("ots_traceTransaction", hashes[1]);
  assert.deepEqual(
    calls.map(({ type, depth }) => `${type} ${depth}`),
    ["CALL 0", "CREATE 1", "CREATE2 1", "CALL 1", "CALL 1", "SELFDESTRUCT 2"],
  );
  const details = await ask<{ block: { transactionCount: number }; totalFees: Hex }>("ots_getBlockDetails", "0x2");
  // Otterscan sends heights as JSON numbers; eth_ methods go on refusing them, as geth does.
  assert.deepEqual(await ask("ots_getBlockDetails", 2), details);
  assert.deepEqual(await ask("ots_getHeaderByNumber", 2), await ask("ots_getHeaderByNumber", "0x2"));
  assert.equal((await node.rpc("eth_getBlockByNumber", 2, false)).error?.code, -32602);
  assert.equal((await node.rpc("ots_getBlockDetails", 1.5)).error?.code, -32602);
  const receipt = await ask<{ gasUsed: Hex; effectiveGasPrice: Hex }>("eth_getTransactionReceipt", hashes[1]);
  assert.equal(details.block.transactionCount, 1);
  assert.equal(BigInt(details.totalFees), BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice));
  type Page = { fullblock: { transactions: { hash: Hex; input: Hex }[] }; receipts: { logs: null }[] };
  const page = await ask<Page>("ots_getBlockTransactions", "0x2", 0, 10);
  assert.equal(page.fullblock.transactions[0]?.input.length, 10);
  assert.equal(page.receipts[0]?.logs, null);
  assert.deepEqual(node.faults, []);
});
