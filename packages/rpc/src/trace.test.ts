import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { encodeFunctionData, getContractAddress, type Hex } from "viem";
import { mnemonicToAccount } from "viem/accounts";
import { type LiveNode, startLiveNode } from "./testing/live-node.ts";
import { compileTraceContract } from "./testing/trace-contract.ts";

const alice = mnemonicToAccount("test test test test test test test test test test test junk", { addressIndex: 4 });
const contract = compileTraceContract();
const tree = getContractAddress({ from: alice.address, nonce: 0n });

let node: LiveNode;
const hashes: Hex[] = [];

const does = (functionName: string, args: readonly unknown[] = []): Hex =>
  encodeFunctionData({ abi: contract.abi, functionName, args });

async function send(nonce: number, fields: { to?: Hex; data: Hex; gas: bigint }): Promise<void> {
  const fees = { maxFeePerGas: 20_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n };
  const raw = await alice.signTransaction({ type: "eip1559", chainId: 358_587, nonce, ...fees, ...fields });
  const { result, error } = await node.rpc("eth_sendRawTransaction", raw);
  assert.equal(error, undefined);
  hashes.push(String(result) as Hex);
}

before(async () => {
  node = await startLiveNode({ automine: false });
  await send(0, { data: contract.bytecode, gas: 3_000_000n });
  await send(1, { to: tree, data: does("grow", [3n]), gas: 500_000n });
  await send(2, { to: tree, data: does("endless"), gas: 40_000_000n });
  await send(3, { to: tree, data: does("grow", [5n]), gas: 500_000n });
  await node.produce();
});
after(async () => {
  await node.close();
});

type Entry = { readonly txHash: Hex; readonly result?: { readonly gasUsed: Hex }; readonly error?: string };

test("a block's entries carry results or errors, and later transactions see earlier ones", async () => {
  const { result } = await node.rpc("debug_traceBlockByNumber", "0x1", { tracer: "callTracer", timeout: "15ms" });
  const entries = result as Entry[];
  assert.deepEqual(
    entries.map((entry) => entry.txHash),
    hashes,
  );
  assert.equal(entries[2]?.error, "execution timeout");
  assert.equal(entries[2]?.result, undefined);
  for (const index of [0, 1, 3]) {
    const receipt = (await node.rpc("eth_getTransactionReceipt", hashes[index])).result as { gasUsed: Hex };
    assert.equal(entries[index]?.result?.gasUsed, receipt.gasUsed);
  }
  const raw = (await node.rpc("debug_getRawBlock", "0x1")).result;
  const again = await node.rpc("debug_traceBlock", raw, { tracer: "callTracer", timeout: "15ms" });
  assert.deepEqual(again.result, result);
});

test("an endless execution ends with its time", async () => {
  const { error } = await node.rpc("debug_traceTransaction", hashes[2], { timeout: "50ms" });
  assert.deepEqual({ code: error?.code, message: error?.message }, { code: -32000, message: "execution timeout" });
});

test("a trace that outgrows its memory is given up", async () => {
  // A loop of calls with a mebibyte of input each.
  const stateOverrides = { [tree]: { code: "0x5b6000600062100000600061beef5afa50600056" } };
  const call = { from: alice.address, to: tree, gas: "0x2faf080" };
  const options = { tracer: "callTracer", timeout: "60s", stateOverrides };
  const { error } = await node.rpc("debug_traceCall", call, "latest", options);
  assert.match(error?.message ?? "", /^trace too large/);
});

test("a block's trace that outgrows its memory is given up as a whole", async () => {
  for (const nonce of [4, 5, 6]) await send(nonce, { to: tree, data: does("endless"), gas: 3_300_000n });
  await node.produce();
  const { error } = await node.rpc("debug_traceBlockByNumber", "0x2", { timeout: "60s" });
  assert.match(error?.message ?? "", /^trace too large/);
  // With less asked of each, the same block has its traces.
  const { result } = await node.rpc("debug_traceBlockByNumber", "0x2", { timeout: "60s", limit: 10_000 });
  const entries = result as { result: { failed: boolean; structLogs: unknown[] } }[];
  assert.equal(entries.length, 3);
  assert.ok(entries.every((entry) => entry.result.failed && entry.result.structLogs.length > 10));
});

test("options are checked", async () => {
  for (const [options, message] of [
    [{ timeout: "soon" }, /^invalid argument 1: timeout: time: invalid duration "soon"$/],
    [{ tracer: 7 }, /^invalid argument 1: tracer: expected a string$/],
    [{ limit: -1 }, /^invalid argument 1: limit: /],
    [{ tracer: "prestateTracer", tracerConfig: { diffMode: true, includeEmpty: true } }, /diffMode with includeEmpty/],
    [{ tracer: "callTracer", tracerConfig: { withLog: "yes" } }, /^invalid argument 1: /],
  ] as const) {
    const { error } = await node.rpc("debug_traceTransaction", hashes[1], options);
    assert.equal(error?.code, -32602, JSON.stringify(options));
    assert.match(error.message, message);
  }
  const { error } = await node.rpc("debug_traceBlock", "0xc101");
  assert.match(error?.message ?? "", /^could not decode block: rlp: /);
  assert.deepEqual(node.faults, []);
});
