import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { ChainMismatchError, SettlementRefusedError, settlerStep } from "./settler.ts";
import { openSqliteStore } from "./sqlite/sqlite-store.ts";
import type { Store } from "./store.ts";
import { sampleSubmission, sampleVerdict, stored } from "./testing/samples.ts";
import { createSimulatedChain, type SimulatedChain } from "./testing/simulated-chain.ts";
import { temporaryDirectory } from "./testing/temporary.ts";
import { verdictRecord } from "./verifier.ts";

const POLICY = { inFlight: 4, pollMs: 10, resendMs: 1_000 };
const quiet = () => {};
const LOG = { debug: quiet, info: quiet, warn: quiet, error: quiet };

interface Bench {
  readonly store: Store;
  readonly chain: SimulatedChain;
  /** One step of the worker; `restart` as a new process would. */
  step(o?: { readonly restart?: boolean }): Promise<void>;
  passMs(ms: number): void;
}

function bench(t: TestContext): Bench {
  const store = openSqliteStore(join(temporaryDirectory(t), "store.db"));
  t.after(() => store.close());
  const chain = createSimulatedChain();
  let nowMs = 1_000;
  const make = () =>
    settlerStep({ store, port: chain.port, policy: POLICY, clock: () => nowMs, log: LOG, onSettled: quiet });
  let step = make();
  return {
    store,
    chain,
    step: async ({ restart = false } = {}) => {
      if (restart) step = make();
      await step();
    },
    passMs: (ms) => {
      nowMs += ms;
    },
  };
}

/** Closes a batch over made-up proofs. */
async function batchOf(store: Store, ...texts: readonly string[]): Promise<void> {
  const outcomes = await store.insert(
    texts.map((text) => sampleSubmission(text)),
    1,
  );
  const items = await store.received(texts.length, 1_000);
  const records = items.map((item) => verdictRecord(item, sampleVerdict(item.proofData), new Uint8Array(32)));
  await store.recordVerdicts(records, 2);
  await store.closeBatch({ slots: outcomes.map((outcome) => stored(outcome).submission.seq), bytes: 1 }, 3);
}

const stateOf = async (store: Store, text: string) => (await store.find(sampleSubmission(text).id))?.state;
const settledNumbers = (chain: SimulatedChain) => chain.events.map((event) => event.number);

test("batches settle in order, and only when the next block is there", async (t) => {
  const { store, chain, step } = bench(t);
  for (const text of ["a", "b", "c"]) await batchOf(store, text);
  await step();
  assert.equal(chain.sent.length, 3);
  chain.mine();
  await step();
  assert.equal(await stateOf(store, "a"), "batched");
  chain.mine();
  await step();
  for (const text of ["a", "b", "c"]) assert.equal(await stateOf(store, text), "settled");
  assert.deepEqual(settledNumbers(chain), [1, 2, 3]);
  assert.equal((await store.batch(2))?.settlement?.previous, (await store.batch(1))?.settlement?.commitment);
});

test("what the pool lost is sent again, the same bytes", async (t) => {
  const { store, chain, step, passMs } = bench(t);
  await batchOf(store, "a");
  await step();
  chain.losePool();
  await step();
  assert.equal(chain.sent.length, 1);
  passMs(POLICY.resendMs);
  await step();
  assert.equal(chain.sent.length, 2);
  assert.equal(chain.sent[0], chain.sent[1]);
});

test("a reverted settlement and those behind it are signed again, with more gas", async (t) => {
  const { store, chain, step, passMs } = bench(t);
  await batchOf(store, "a");
  await batchOf(store, "b");
  await step();
  chain.mine({ gasNeeded: 1_000_000_000 });
  for (let round = 0; round < 6; round += 1) {
    passMs(POLICY.resendMs);
    await step();
    chain.mine();
  }
  await step();
  assert.deepEqual(settledNumbers(chain), [1, 2]);
  assert.equal(await stateOf(store, "b"), "settled");
  const gas = chain.sent.map((raw) => JSON.parse(raw)).filter((tx) => tx.number === 1);
  assert.ok(gas.at(-1).gasLimit > gas[0].gasLimit);
});

test("a settlement whose nonce another transaction used is signed again", async (t) => {
  const { store, chain, step } = bench(t);
  await batchOf(store, "a");
  chain.failNextSend(false);
  await assert.rejects(step());
  chain.useNonce();
  await step({ restart: true });
  await step();
  chain.mine();
  chain.mine();
  await step();
  assert.equal(await stateOf(store, "a"), "settled");
  assert.deepEqual(settledNumbers(chain), [1]);
});

for (const late of [false, true]) {
  test(`a crash ${late ? "after" : "before"} the pool has it: the same bytes, settled once`, async (t) => {
    const { store, chain, step } = bench(t);
    await batchOf(store, "a");
    chain.failNextSend(late);
    await assert.rejects(step());
    if (late) chain.mine();
    await step({ restart: true });
    assert.equal(new Set(chain.sent).size, 1);
    chain.mine();
    chain.mine();
    await step({ restart: true });
    assert.equal(await stateOf(store, "a"), "settled");
    assert.deepEqual(settledNumbers(chain), [1]);
    assert.equal((await store.unsettled(9)).length, 0);
  });
}

test("a slot the validators excluded is rejected, the others settle", async (t) => {
  const { store, chain, step } = bench(t);
  await batchOf(store, "a", "b", "c");
  await step();
  chain.mine({ exclude: [1] });
  chain.mine();
  await step();
  assert.equal(await stateOf(store, "a"), "settled");
  assert.equal((await store.find(sampleSubmission("b").id))?.error?.code, "excluded-in-consensus");
  assert.equal(await stateOf(store, "c"), "settled");
});

test("a store is bound to its chain", async (t) => {
  const { store, chain, step } = bench(t);
  await batchOf(store, "a");
  await step();
  chain.genesis = `0x${"99".repeat(32)}`;
  await assert.rejects(step({ restart: true }), ChainMismatchError);
});

test("a settlement that the pool refuses fails the worker, by name, and is sent again", async (t) => {
  const store = openSqliteStore(join(temporaryDirectory(t), "store.db"));
  t.after(() => store.close());
  const chain = createSimulatedChain();
  let isRefusing = true;
  const refusal = { ok: false, code: "refused", message: "tx fee exceeds the configured cap" } as const;
  const port = { ...chain.port, send: async (raw: Uint8Array) => (isRefusing ? refusal : chain.port.send(raw)) };
  const step = settlerStep({ store, port, policy: POLICY, clock: () => 1, log: LOG, onSettled: quiet });
  await batchOf(store, "a");
  await batchOf(store, "b");
  await assert.rejects(
    step(),
    (error) => error instanceof SettlementRefusedError && /batch 1: tx fee/.test(error.message),
  );
  isRefusing = false;
  await step();
  assert.equal(chain.sent.length, 2);
});
