import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { encodeFunctionData, getContractAddress, type Hex } from "viem";
import { mnemonicToAccount } from "viem/accounts";
import { type LiveNode, startLiveNode } from "./testing/live-node.ts";
import { compileTraceContract } from "./testing/trace-contract.ts";

const alice = mnemonicToAccount("test test test test test test test test test test test junk", { addressIndex: 5 });
const contract = compileTraceContract();
const tree = getContractAddress({ from: alice.address, nonce: 0n });
const leaf = getContractAddress({ from: tree, nonce: 1n });

let node: LiveNode;
const hashes: Hex[] = [];

before(async () => {
  node = await startLiveNode({ automine: false });
  const grow = encodeFunctionData({ abi: contract.abi, functionName: "grow", args: [3n] });
  for (const [nonce, fields] of [
    { data: contract.bytecode, gas: 3_000_000n },
    { to: tree, data: grow, gas: 500_000n, value: 7n },
    { to: tree, data: encodeFunctionData({ abi: contract.abi, functionName: "word" }), gas: 100_000n },
  ].entries()) {
    const fees = { maxFeePerGas: 20_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n };
    const raw = await alice.signTransaction({ type: "eip1559", chainId: 358_587, nonce, ...fees, ...fields });
    const { result, error } = await node.rpc("eth_sendRawTransaction", raw);
    assert.equal(error, undefined);
    hashes.push(String(result) as Hex);
  }
  await node.produce();
});
after(async () => {
  await node.close();
});

async function run(tracer: string, options: object = {}): Promise<unknown> {
  const { result, error } = await node.rpc("debug_traceTransaction", hashes[1], { tracer, ...options });
  assert.equal(error, undefined, error?.message);
  return result;
}

async function fails(tracer: string, message: RegExp, options: object = {}): Promise<void> {
  const { error } = await node.rpc("debug_traceTransaction", hashes[1], { tracer, ...options });
  assert.equal(error?.code, -32000);
  assert.match(error.message, message);
}

test("the specification's tracer: integers of the stack as decimal strings", async () => {
  const tracer = `{data: [], fault: function(log) {}, step: function(log) {
    if (log.op.toString() == "CALL") this.data.push(log.stack.peek(0)); }, result: function() { return this.data; }}`;
  const gas = (await run(tracer)) as string[];
  assert.equal(gas.length, 1);
  assert.match(gas[0] ?? "", /^[0-9]+$/);
});

test("big integers have the methods that scripts for geth call; results are decimal strings", async () => {
  const tracer = (expression: string) =>
    `{step: function() {}, fault: function() {}, result: function() { return ${expression}; }}`;
  assert.equal(await run(tracer("bigInt(5).multiply(7)")), "35");
  assert.equal(await run(tracer("bigInt('99999999999999999999').add(1).subtract(bigInt(2))")), "99999999999999999998");
  assert.deepEqual(await run(tracer("[bigInt(2).pow(70), bigInt(7).mod(4), bigInt(1).shiftLeft(65).toString(16)]")), [
    "1180591620717411303424",
    "3",
    "20000000000000000",
  ]);
  assert.deepEqual(
    await run(tracer("[bigInt(2).lt(3), bigInt(2).equals(2), bigInt(2).compare(1), bigInt(9).toJSNumber()]")),
    [true, true, 1, 9],
  );
});

test("an error of a script is one line without places inside this program", async () => {
  for (const tracer of ["fooTracer", "{ this is no script", "{result: undefinedName}"]) {
    const { error } = await node.rpc("debug_traceTransaction", hashes[1], { tracer });
    assert.ok(error !== undefined, tracer);
    assert.doesNotMatch(error.message, /\n|<anonymous>|<main>|at line/, tracer);
  }
});

test("setup, step, enter, exit, log, db, ctx", async () => {
  const tracer = `{
    setup: function(config) { this.seen = []; this.config = config; },
    step: function(log, db) {
      if (log.op.toString() == "SLOAD" && this.slot === undefined) {
        const at = log.contract.getAddress();
        this.slot = toHex(db.getState(at, toWord("0x" + log.stack.peek(0).toString(16).padStart(64, "0"))));
        this.pc = log.getPC(); this.depth = log.getDepth(); this.code = db.getCode(at).length > 100;
        this.exists = db.exists(at); this.nonce = db.getNonce(at); this.balance = db.getBalance(at);
      }
    },
    enter: function(frame) { this.seen.push("enter " + frame.getType() + " " + toHex(frame.getTo())); },
    exit: function(result) { this.seen.push("exit " + (result.getGasUsed() > 0)); },
    fault: function(log, db) {},
    result: function(ctx, db) {
      return { seen: this.seen, type: ctx.type, to: toHex(ctx.to), value: ctx.value, block: ctx.block, nonce: this.nonce,
        exists: this.exists, code: this.code, balance: this.balance, slot: this.slot, depth: this.depth,
        hash: ctx.txHash === undefined ? null : toHex(ctx.txHash), index: ctx.txIndex };
    } }`;
  const result = (await run(tracer)) as Record<string, unknown>;
  assert.deepEqual((result.seen as string[]).slice(0, 2), [`enter CALL ${leaf.toLowerCase()}`, "exit true"]);
  const { seen, slot, hash, ...rest } = result;
  assert.deepEqual(rest, {
    ...{ type: "CALL", to: tree.toLowerCase(), value: "7", block: 1, nonce: 2, exists: true, code: true },
    ...{ balance: "7", depth: 1, index: 1 },
  });
  assert.match(String(slot), /^0x[0-9a-f]{64}$/);
  assert.equal(hash, hashes[1]);
});

test("a block by a script: every transaction has its entry", async () => {
  const tracer = `{count: 0, step: function() { this.count++; }, fault: function() {}, result: function() { return this.count; }}`;
  const { result } = await node.rpc("debug_traceBlockByNumber", "0x1", { tracer });
  const entries = result as { txHash: Hex; result: number }[];
  assert.deepEqual(
    entries.map((entry) => entry.txHash),
    hashes,
  );
  const logs = (await node.rpc("debug_traceTransaction", hashes[1], {})).result as { structLogs: unknown[] };
  assert.equal(entries[1]?.result, logs.structLogs.length);
});

test("what never ends is ended", async () => {
  const tail = "fault: function() {}, result: function() { return 1; }}";
  await fails(`{step: function() { while (true) {} }, ${tail}`, /^execution timeout$/, { timeout: "300ms" });
  const nested = "const f = () => { for (let i = 0; i < 1e5; i++); }; while (true) f();";
  await fails(`{step: function() { ${nested} }, ${tail}`, /^execution timeout$/, { timeout: "300ms" });
  await fails("{fault: function() {}, result: function() { for (;;); }}", /^execution timeout$/, { timeout: "300ms" });
  await fails(`(() => { ${nested} })()`, /^execution timeout$/, { timeout: "300ms" });
});

test("in a block, what is ended costs one transaction its trace, not the ones after it", async () => {
  const within = 'log.getDepth() == 2 && log.op.toString() == "LOG2"';
  const parts = "count: 0, fault: function() {}, result: function() { return this.count; }";
  const trace = async (act: string, timeout: string) => {
    const tracer = `{${parts}, step: function(log) { this.count++; if (${within}) ${act} }}`;
    const { result } = await node.rpc("debug_traceBlockByNumber", "0x1", { tracer, timeout });
    return result as { txHash: Hex; result?: number; error?: string }[];
  };
  const whole = await trace("{}", "5s");
  assert.ok(whole.every(({ result }) => (result ?? 0) > 0));
  const looped = await trace("while (true) {}", "400ms");
  assert.deepEqual(looped, [whole[0], { txHash: hashes[1], error: "execution timeout" }, whole[2]]);
  const grown = await trace("for (let s = 'x', all = []; ; ) all.push(s.padEnd(1000000 + all.length, 'x'));", "20s");
  assert.deepEqual([grown[0], grown[2]], [whole[0], whole[2]]);
  assert.match(grown[1]?.error ?? "", /^tracer out of memory$|function 'step'$/);
});

test("what takes memory without end is stopped", async () => {
  const tail = "fault: function() {}, result: function() { return 1; }}";
  const grow = `{all: [], step: function() { while (true) this.all.push(String(this.all.length).padEnd(1000000, 'x')); }, `;
  await fails(`${grow}${tail}`, /^tracer out of memory$/, { timeout: "20s" });
  const double = `{step: function() { let s = "x"; for (;;) s += s; }, ${tail}`;
  await fails(double, /^tracer out of memory$|function 'step'$/, { timeout: "20s" });
});

test("what overflows a stack harms nothing", async () => {
  const deep = `${"(".repeat(100_000)}1${")".repeat(100_000)}`;
  const { error } = await node.rpc("debug_traceTransaction", hashes[1], { tracer: deep, timeout: "20s" });
  assert.notEqual(error, undefined);
  const recursive = "{step: function f() { f(); }, fault: function() {}, result: function() { return 1; }}";
  await fails(recursive, /function 'step'$/);
});

test("a script's own faults are told, and what is no tracer is refused", async () => {
  const tail = "fault: function() {}, result: function() { return 1; }}";
  await fails(
    `{step: function() { throw new Error("mine"); }, ${tail}`,
    /^Error: mine {4}in server-side tracer function 'step'$/,
  );
  await fails("{fault: function() {}, result: function() { return nothing; }}", /nothing.*function 'result'$/);
  for (const [tracer, message] of [
    ["{result: function() {}}", /trace object must expose a function fault\(\)/],
    ["{fault: function() {}}", /trace object must expose a function result\(\)/],
    ["noSuchTracer", /noSuchTracer/],
    ["{", /./],
  ] as const) {
    const { error } = await node.rpc("debug_traceTransaction", hashes[1], { tracer });
    assert.match(error?.message ?? "", message, tracer);
  }
  assert.deepEqual(node.faults, []);
});

test("a script reaches neither files nor the process", async () => {
  const names = ["process", "require", "globalThis.process", "Deno", "fetch", "std", "os"];
  const probe = names.map((name) => `typeof ${name}`).join(", ");
  const seen = await run(`{fault: function() {}, result: function() { return [${probe}]; }}`);
  assert.deepEqual(
    seen,
    names.map(() => "undefined"),
  );
});
