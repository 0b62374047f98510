/**
 * Traces of messages that are no committed transactions: one after the other, signed, with authorizations and
 * overrides.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { encodeFunctionData, getContractAddress, type Hex, pad } from "viem";
import { mnemonicToAccount } from "viem/accounts";
import { type LiveNode, startLiveNode } from "./testing/live-node.ts";
import { compileTraceContract } from "./testing/trace-contract.ts";

const alice = mnemonicToAccount("test test test test test test test test test test test junk", { addressIndex: 7 });
const bob = mnemonicToAccount("test test test test test test test test test test test junk", { addressIndex: 8 });
const contract = compileTraceContract();
const tree = getContractAddress({ from: alice.address, nonce: 0n }).toLowerCase() as Hex;
const base = { type: "eip1559", chainId: 358_587, maxFeePerGas: 20_000_000_000n, maxPriorityFeePerGas: 1n } as const;

const does = (functionName: string, args: readonly unknown[] = []): Hex =>
  encodeFunctionData({ abi: contract.abi, functionName, args });

let node: LiveNode;

before(async () => {
  node = await startLiveNode({ automine: false });
  const deploy = { ...base, nonce: 0, data: contract.bytecode, gas: 3_000_000n };
  const { error } = await node.rpc("eth_sendRawTransaction", await alice.signTransaction(deploy));
  assert.equal(error, undefined);
  await node.produce();
});
after(async () => {
  await node.close();
});

interface Replay {
  readonly output: Hex;
  readonly trace: readonly { readonly action: { readonly from: Hex }; readonly error?: string }[];
  readonly stateDiff: Record<string, { readonly nonce: unknown; readonly storage: object }> | null;
  readonly vmTrace: { readonly ops: readonly unknown[] } | null;
}

async function ask<T>(method: string, ...params: unknown[]): Promise<T> {
  const { result, error } = await node.rpc(method, ...params);
  assert.equal(error, undefined, `${method}: ${error?.message}`);
  return result as T;
}

async function fails(message: RegExp, method: string, ...params: unknown[]): Promise<number | undefined> {
  const { error } = await node.rpc(method, ...params);
  assert.match(error?.message ?? "", message);
  return error?.code;
}

test("trace_callMany: each call on what the ones before left", async () => {
  const from = alice.address;
  const word = { from, to: tree, data: does("word") };
  const calls = [
    [word, ["trace"]],
    [{ from, to: tree, data: does("grow", [42n]) }, ["trace", "stateDiff"]],
    [word, ["trace", "vmTrace"]],
    [{ from, to: tree, data: does("refuse") }, ["trace"]],
    [word, []],
  ];
  const answers = await ask<Replay[]>("trace_callMany", calls, "latest");
  const words = [0, 2, 4].map((index) => BigInt(answers[index]?.output ?? "0x0"));
  assert.deepEqual(words, [7n, 42n, 42n]);
  assert.ok(Object.keys(answers[1]?.stateDiff?.[tree]?.storage ?? {}).length > 0);
  assert.ok((answers[2]?.vmTrace?.ops.length ?? 0) > 10);
  assert.equal(answers[0]?.vmTrace, null);
  assert.equal(answers[3]?.trace[0]?.error, "Reverted");
  assert.deepEqual(answers[4]?.trace, []);
  assert.equal(BigInt(await ask<Hex>("eth_call", word)), 7n);
  assert.deepEqual(await ask("trace_callMany", [], "0x1"), []);
  const single = await ask<Replay>("trace_call", word, ["trace"], "0x1");
  assert.deepEqual((await ask<Replay[]>("trace_callMany", [[word, ["trace"]]], "0x1"))[0], single);
});

test("trace_callMany: what it does not take", async () => {
  const word = { to: tree, data: does("word") };
  assert.equal(await fails(/calls|expected/, "trace_callMany", [[word]]), -32602);
  assert.equal(await fails(/trace types|expected one of/, "trace_callMany", [[word, ["what"]]]), -32602);
  assert.equal(await fails(/at most 1000/, "trace_callMany", Array(1001).fill([word, []])), -32602);
  assert.equal(await fails(/^header not found$/, "trace_callMany", [[word, []]], "0x99"), -32000);
  assert.equal(await fails(/pending/, "trace_callMany", [[word, []]], "pending"), -32000);
  const poor = { from: `0x${"12".repeat(20)}`, to: tree, value: "0x1" };
  await fails(/insufficient funds/, "trace_callMany", [
    [word, []],
    [poor, ["trace"]],
  ]);
});

test("trace_rawTransaction: a signed transaction runs and is not sent", async () => {
  const grow = { ...base, nonce: 1, to: tree, data: does("grow", [9n]), gas: 500_000n };
  const raw = await alice.signTransaction(grow);
  const answer = await ask<Replay>("trace_rawTransaction", raw, ["trace", "stateDiff"]);
  assert.equal(answer.trace[0]?.action.from, alice.address.toLowerCase());
  assert.deepEqual(answer.stateDiff?.[alice.address.toLowerCase()]?.nonce, { "*": { from: "0x1", to: "0x2" } });
  assert.equal((await ask<{ pending: Hex }>("txpool_status")).pending, "0x0");
  const early = await alice.signTransaction({ ...grow, nonce: 0 });
  await fails(/nonce too low/, "trace_rawTransaction", early, ["trace"]);
  const late = await alice.signTransaction({ ...grow, nonce: 5 });
  await fails(/nonce too high/, "trace_rawTransaction", late, ["trace"]);
  await fails(/^rlp: transaction cannot be decoded$/, "trace_rawTransaction", "0x02", ["trace"]);
  const foreign = await alice.signTransaction({ ...grow, chainId: 1 });
  await fails(/^invalid sender: invalid chain id for signer: have 1 want 358587$/, "trace_rawTransaction", foreign, [
    "trace",
  ]);
  const meagre = await alice.signTransaction({ ...grow, gas: 21_000n });
  await fails(/^intrinsic gas too low: gas 21000, minimum needed \d+$/, "trace_rawTransaction", meagre, ["trace"]);
});

test("debug_traceCall with authorizations runs the code they lend", async () => {
  const signed = await bob.signAuthorization?.({ chainId: 358_587, contractAddress: tree, nonce: 0 });
  assert.ok(signed);
  const authorizationList = [
    {
      address: signed.address,
      chainId: "0x578bb",
      nonce: "0x0",
      yParity: `0x${signed.yParity ?? 0}`,
      ...{ r: `0x${BigInt(signed.r).toString(16)}`, s: `0x${BigInt(signed.s).toString(16)}` },
    },
  ];
  const call = { from: alice.address, to: bob.address, data: does("word"), gas: "0x30000" };
  const without = await ask<{ output?: Hex }>("debug_traceCall", call, "latest", { tracer: "callTracer" });
  assert.equal(without.output, undefined);
  const lent = { ...call, authorizationList };
  const traced = await ask<{ output?: Hex }>("debug_traceCall", lent, "latest", { tracer: "callTracer" });
  // The code runs on the borrower's own storage, which is empty.
  assert.equal(traced.output, pad("0x0"));
  const logs = await ask<{ structLogs: unknown[] }>("debug_traceCall", lent, "latest", {});
  assert.ok(logs.structLogs.length > 10);
  const pre = await ask<{ post: Record<string, { code?: Hex; nonce?: number }> }>("debug_traceCall", lent, "latest", {
    tracer: "prestateTracer",
    tracerConfig: { diffMode: true },
  });
  assert.equal(pre.post[bob.address.toLowerCase()]?.code, `0xef0100${tree.slice(2)}`);
});

test("debug_traceCall moves precompiles and checks its overrides", async () => {
  const [identity, elsewhere] = [pad("0x4", { size: 20 }), pad("0xc0ffee", { size: 20 })];
  const data = `0x${"ab".repeat(40)}`;
  const call = { from: alice.address, to: elsewhere, data };
  const options = { tracer: "callTracer", stateOverrides: { [identity]: { movePrecompileToAddress: elsewhere } } };
  assert.equal((await ask<{ output: Hex }>("debug_traceCall", call, "latest", options)).output, data);
  await fails(/is not a precompile$/, "debug_traceCall", call, "latest", {
    stateOverrides: { [elsewhere]: { movePrecompileToAddress: identity } },
  });
  await fails(/^invalid argument 2: stateOverrides: /, "debug_traceCall", call, "latest", {
    stateOverrides: { [elsewhere]: { nonce: "what" } },
  });
  await fails(/"beaconRoot" is not supported/, "debug_traceCall", call, "latest", {
    blockOverrides: { beaconRoot: pad("0x1") },
  });
  const fee = { ...call, to: tree, gasPrice: "0x9", gas: "0x10000" };
  const state = { [tree]: { code: "0x485f5260205ff3" } };
  const over = { tracer: "callTracer", stateOverrides: state, blockOverrides: { baseFeePerGas: "0x8" } };
  assert.equal((await ask<{ output: Hex }>("debug_traceCall", fee, "latest", over)).output, pad("0x8"));
  assert.deepEqual(node.faults, []);
});
