import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { inspect } from "node:util";
import type { Address } from "@cairn/primitives";
import { bytesToHex, concatBytes, hexToBytes, sha256 } from "@cairn/primitives";
import { decodeErrorResult, encodeFunctionData, getContractAddress } from "viem";
import { compileProbe } from "./testing/probe.ts";
import { account, CRN, openTestChain, send, type TestChain } from "./testing/test-chain.ts";

const probe = compileProbe();
const [alice, bob] = [account(0), account(1)];
const poor = account(9).address;
const at: Address = getContractAddress({ from: alice.address, nonce: 0n });
const callData = (functionName: string, args: unknown[] = []) =>
  hexToBytes(encodeFunctionData({ abi: probe.abi, functionName, args }));

let chain: TestChain;
let block: bigint;
before(async () => {
  chain = await openTestChain();
  await chain.mine([await send({ from: alice, nonce: 0, data: probe.bytecode })]);
  await chain.mine([
    await send({ from: alice, nonce: 1, to: at, data: bytesToHex(callData("set", [5n])) }),
    await send({ from: alice, nonce: 2, to: at, data: bytesToHex(callData("fill", [0n, 30n])) }),
  ]);
  block = chain.native.head().number;
});
after(() => chain.close());

test("a call returns data and leaves no trace", async () => {
  const set = await chain.native.call({ from: bob.address, to: at, data: callData("set", [6n]), block });
  assert.ok(set.ok && set.gasUsed > 21_000n);
  const value = await chain.native.call({ to: at, data: callData("value"), block });
  assert.equal(value.ok && BigInt(bytesToHex(value.data)), 5n);
  const earlier = await chain.native.call({ to: at, data: callData("value"), block: 1n });
  assert.equal(earlier.ok && BigInt(bytesToHex(earlier.data)), 0n);
  const byHash = await chain.native.call({ to: at, data: callData("value"), block: chain.native.head().hash });
  assert.deepEqual(byHash, value);
  const creation = await chain.native.call({ data: hexToBytes(probe.bytecode), block });
  assert.equal(creation.ok && bytesToHex(creation.data), bytesToHex(chain.native.code(at, block) ?? new Uint8Array()));
});

test("reverts carry their data, halts geth's words", async () => {
  const failed = await chain.native.call({ to: at, data: callData("fail"), block });
  assert.ok(!failed.ok && failed.code === "reverted");
  const decoded = decodeErrorResult({ abi: [], data: bytesToHex(failed.data) });
  assert.deepEqual([decoded.errorName, decoded.args], ["Error", ["no"]]);
  const refused = await chain.native.call({ to: at, data: callData("refuse"), block });
  assert.ok(!refused.ok && refused.code === "reverted");
  assert.deepEqual(decodeErrorResult({ abi: probe.abi, data: bytesToHex(refused.data) }).args, [7n]);
  const bare = await chain.native.call({ to: at, data: new Uint8Array([1, 2, 3, 4]), block });
  assert.ok(!bare.ok && bare.code === "reverted" && bare.data.length === 0);
  const invalid = await chain.native.call({ to: at, data: callData("invalid"), block, gas: 100_000n });
  assert.deepEqual(invalid, { ok: false, code: "halted", reason: "invalid opcode: INVALID", gasUsed: 100_000n });
  const starved = await chain.native.call({ to: at, data: callData("fill", [100n, 10n]), block, gas: 50_000n });
  assert.deepEqual(starved, { ok: false, code: "halted", reason: "out of gas", gasUsed: 50_000n });
});

test("what cannot start is refused in geth's words", async () => {
  const refusal = async (request: object) => {
    const outcome = await chain.native.call({ to: at, data: callData("value"), block, ...request });
    assert.ok(!outcome.ok && outcome.code === "refused");
    return outcome.reason;
  };
  assert.equal(
    await refusal({ from: poor, valueWei: 1n, gas: 100_000n }),
    `err: insufficient funds for gas * price + value: address ${poor} have 0 want 1 (supplied gas 100000)`,
  );
  assert.equal(
    await refusal({ gas: 20_000n }),
    "err: intrinsic gas too low: have 20000, want 21064 (supplied gas 20000)",
  );
  assert.match(
    await refusal({ from: alice.address, gasPriceWei: 1n, gas: 100_000n }),
    /^err: max fee per gas less than block base fee: address 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266, maxFeePerGas: 1, baseFee: \d+ \(supplied gas 100000\)$/,
  );
  assert.match(
    await refusal({
      from: alice.address,
      maxFeePerGasWei: 10n ** 10n,
      maxPriorityFeePerGasWei: 10n ** 11n,
      gas: 100_000n,
    }),
    /max priority fee per gas higher than max fee per gas: address 0x\w{40}, maxPriorityFeePerGas: 100000000000, maxFeePerGas: 10000000000/,
  );
});

test("senders with code, wrong nonces and gas above the cap do not hinder a call", async () => {
  const outcome = await chain.native.call({
    from: at,
    to: at,
    data: callData("value"),
    block,
    nonce: 99n,
    gas: 10n ** 30n,
  });
  assert.equal(outcome.ok, true);
});

test("estimates: transfers cost 21000, calls enough and at most 1.5 % more than needed", async () => {
  const { native } = chain;
  const estimate = async (request: object) => {
    const outcome = await native.estimateGas({ from: bob.address, block, ...request });
    assert.ok(outcome.ok, inspect(outcome));
    return outcome.gas;
  };
  assert.equal(await estimate({ to: poor, valueWei: 1n }), 21_000n);
  const requests = [
    { to: at, data: callData("set", [9n]) },
    { to: at, data: callData("clear", [0n, 30n]) },
    { to: at, data: callData("nested", [8n]) },
    { to: at, data: callData("destroyFresh"), valueWei: 3n },
    { data: hexToBytes(probe.bytecode) },
  ];
  for (const request of requests) {
    const gas = await estimate(request);
    const enough = await native.call({ from: bob.address, block, ...request, gas });
    assert.equal(enough.ok, true);
    const less = await native.call({ from: bob.address, block, ...request, gas: (gas * 984n) / 1000n });
    assert.equal(less.ok, false, inspect(less));
  }
});

test("estimates that cannot succeed say why", async () => {
  const estimate = (request: object) => chain.native.estimateGas({ from: bob.address, to: at, block, ...request });
  const failed = await estimate({ data: callData("fail") });
  assert.ok(!failed.ok && failed.code === "reverted" && failed.data.length === 100);
  assert.deepEqual(await estimate({ data: callData("invalid") }), {
    ok: false,
    code: "halted",
    reason: "invalid opcode: INVALID",
  });
  assert.deepEqual(await estimate({ data: callData("fill", [100n, 100n]), gas: 30_000n }), {
    ok: false,
    code: "allowance",
    allowance: 30_000n,
  });
  const priced = { from: account(4).address, gasPriceWei: CRN, valueWei: 9_970n * CRN };
  assert.deepEqual(await estimate({ ...priced, to: poor }), { ok: false, code: "allowance", allowance: 30n });
  const broke = await estimate({ from: poor, to: bob.address, valueWei: 1n, gasPriceWei: 10n ** 10n });
  assert.deepEqual(broke, { ok: false, code: "refused", reason: "insufficient funds for transfer" });
});

const VERIFY_PROOFS: Address = "0x000000000000000000000000000000000000c000";

/** A batch of one commitment without payer, in the input format of `VerifyProofs`. */
function commitmentBatch(value: Uint8Array): { input: Uint8Array; root: Uint8Array } {
  const string = (text: string) => new Uint8Array([0, text.length, ...new TextEncoder().encode(text)]);
  const u32 = (number: number) => new Uint8Array([0, 0, number >> 8, number & 0xff]);
  const zeros = new Uint8Array(64);
  const labels = ["commitment", "", "", ""].map(string);
  const salt = new Uint8Array(32).fill(0x5a);
  const record = concatBytes(new Uint8Array([1, 2]), ...labels, zeros, string("1"), new Uint8Array([0]), salt);
  const slot = concatBytes(
    new Uint8Array([2, 0xff, 0xff, 0xff, 0xff]),
    new Uint8Array(16),
    u32(value.length),
    value,
    u32(0),
    new Uint8Array([0, record.length]),
    record,
  );
  const input = concatBytes(new Uint8Array([1, 0, 0, 0, 0]), u32(1), slot);
  return { input, root: sha256(concatBytes(new Uint8Array(1), sha256(value), sha256(record))) };
}

test("VerifyProofs answers from its address, charges gas and reverts on bad framing", async () => {
  const { native } = chain;
  const { input, root } = commitmentBatch(new Uint8Array(32).fill(0xab));
  const done = await native.call({ to: VERIFY_PROOFS, data: input, block });
  assert.ok(done.ok, inspect(done));
  const counts = [1, 0, 0, 0, 0, 0, 0, 0, 1];
  assert.equal(bytesToHex(done.data), bytesToHex(concatBytes(root, new Uint8Array(counts))));
  const bad = await native.call({ to: VERIFY_PROOFS, data: new Uint8Array([9, 9]), block });
  assert.ok(!bad.ok && bad.code === "reverted" && bad.data.length === 0, inspect(bad));
  const estimate = await native.estimateGas({ from: bob.address, to: VERIFY_PROOFS, data: input, block });
  assert.ok(estimate.ok && estimate.gas >= done.gasUsed, inspect(estimate));
  const starved = await native.call({ to: VERIFY_PROOFS, data: input, block, gas: done.gasUsed - 1n });
  assert.ok(!starved.ok && starved.code !== "unknown-block", inspect(starved));
});

test("no loop outlives the time limit", async () => {
  const looping = hexToBytes("0x5b5f56");
  // Calls itself for ever: every frame is a look at the clock.
  const recursive = hexToBytes("0x5b5f5f5f5f5f305af1505f56");
  const limits = { timeoutMs: 1, gasCap: 10n ** 12n, block };
  for (const code of [looping, recursive]) {
    const stateOverrides = { [poor]: { code } };
    const given = await chain.native.call({ to: poor, stateOverrides, ...limits });
    assert.deepEqual(given, { ok: false, code: "refused", reason: "execution aborted (timeout = 1ms)" });
    const estimate = await chain.native.estimateGas({ to: poor, stateOverrides, ...limits });
    assert.deepEqual(estimate, { ok: false, code: "refused", reason: "execution aborted (timeout = 1ms)" });
    const capped = await chain.native.call({ to: poor, stateOverrides, block, gasCap: 50_000n, gas: 10n ** 9n });
    assert.deepEqual(capped, { ok: false, code: "halted", reason: "out of gas", gasUsed: 50_000n });
  }
});
