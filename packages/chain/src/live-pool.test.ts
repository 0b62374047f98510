import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { type Address, hexToBytes } from "@cairn/primitives";
import { keccak256 } from "viem";
import { sandboxAccount, sign, startTestEngine } from "./testing/test-engine.ts";

const alice = sandboxAccount(0);
const bob = sandboxAccount(1);
const carol: Address = `0x${"cc".repeat(20)}`;

async function started(t: TestContext, options: Parameters<typeof startTestEngine>[0] = {}) {
  const engine = await startTestEngine(options);
  t.after(() => engine.close());
  return engine;
}

describe("chain: pool over real state", () => {
  it("answers each refusal with its code", async (t) => {
    const { chain } = await started(t);
    const code = async (raw: Uint8Array) => {
      const outcome = await chain.submit(raw);
      return outcome.ok ? "ok" : outcome.code;
    };
    const first = await sign(alice, { nonce: 0, to: carol });
    assert.equal(await code(first), "ok");
    assert.equal(await code(first), "already-known");
    assert.equal(await code(await sign(alice, { nonce: 0, to: bob.address })), "replacement-underpriced");
    assert.equal(await code(await sign(alice, { nonce: 1, to: carol, value: 10n ** 30n })), "insufficient-funds");
    assert.equal(await code(await sign(alice, { nonce: 1, to: carol, chainId: 1 })), "wrong-chain-id");
    assert.equal(await code(await sign(alice, { nonce: 1, to: carol, gas: 20_000n })), "intrinsic-gas");
    assert.equal(await code(new Uint8Array([1, 2, 3])), "undecodable");
    assert.equal(
      await code(await sign(alice, { nonce: 0, to: bob.address, cap: 2n * 10n ** 10n, tip: 2n * 10n ** 9n })),
      "ok",
    );
  });

  it("keeps the order of submissions made in one turn", async (t) => {
    const { chain } = await started(t);
    const raws = await Promise.all(Array.from({ length: 50 }, (_, nonce) => sign(alice, { nonce, to: carol })));
    const outcomes = await Promise.all(raws.map((raw) => chain.submit(raw)));
    assert.ok(outcomes.every((outcome) => outcome.ok));
    assert.deepEqual(chain.pool.status(), { pending: 50, queued: 0 });
    assert.equal(chain.pool.pendingNonce(alice.address), 50n);
  });

  it("queues a gap, promotes it, and tells listeners and filters in order", async (t) => {
    const engine = await started(t);
    const { chain } = engine;
    const pending: string[] = [];
    chain.onPending(({ hash }) => pending.push(hash));
    let arrivals = 0;
    chain.onTransaction(() => arrivals++);
    const filter = chain.filters.newPendingTransactionFilter();
    assert.ok(filter.ok);
    const second = await sign(alice, { nonce: 1, to: carol });
    await chain.submit(second);
    assert.deepEqual(chain.pool.status(), { pending: 0, queued: 1 });
    assert.equal(arrivals, 0);
    const first = await sign(alice, { nonce: 0, to: carol });
    await chain.submit(first);
    assert.deepEqual(pending, [keccak256(first), keccak256(second)]);
    assert.equal(arrivals, 1);
    assert.deepEqual(chain.filters.changes(filter.id), { ok: true, kind: "pending", hashes: pending });
    const [only] = [...chain.pool.content().pending];
    assert.equal(only?.[0], alice.address.toLowerCase());
    assert.equal(chain.pool.contentFrom(alice.address).pending.length, 2);
    assert.equal(chain.pool.at(alice.address, 1n)?.hash, keccak256(second));
  });

  it("drops what the dry run refuses, so that it is not proposed again", async (t) => {
    const dave = sandboxAccount(3);
    // A sender with code that is no delegation: admission looks at bytes and funds, execution refuses (EIP-3607).
    const alloc = { [dave.address]: { balance: "0x8ac7230489e80000", code: "0x00" } } as const;
    const engine = await started(t, { alloc });
    const { chain } = engine;
    const stuck = await sign(dave, { nonce: 0, to: carol });
    assert.ok((await chain.submit(stuck)).ok);
    const good = await sign(alice, { nonce: 0, to: carol });
    await chain.submit(good);
    assert.deepEqual((await engine.produce()).txs, [good]);
    assert.equal(chain.pool.get(keccak256(stuck)), undefined);
    assert.ok(!chain.hasTransactions());
  });

  it("demotes what a block made unaffordable, and drops it when it never can be paid", async (t) => {
    const engine = await started(t);
    const { chain } = engine;
    const half = 6n * 10n ** 21n;
    const spend = await sign(bob, { nonce: 0, to: carol, value: half });
    const rest = await sign(bob, { nonce: 1, to: carol, value: 10n ** 21n });
    await chain.submit(spend);
    await chain.submit(rest);
    // Another transaction with the first nonce is decided: it leaves less than the second one costs.
    const drain = await sign(bob, { nonce: 0, to: carol, value: 95n * 10n ** 20n });
    await engine.produce({ txs: [drain] });
    assert.deepEqual(chain.pool.status(), { pending: 0, queued: 0 });
  });

  it("answers checkTx from the pool", async (t) => {
    const engine = await started(t);
    const { app } = engine.chain;
    const raw = await sign(alice, { nonce: 0, to: carol });
    const fresh = await app.checkTx({ tx: raw, type: "new" });
    assert.deepEqual([fresh.code, fresh.gasWanted], [0, 21_000n]);
    assert.equal((await app.checkTx({ tx: raw, type: "recheck" })).code, 0);
    await engine.produce();
    assert.ok((await app.checkTx({ tx: raw, type: "recheck" })).code >= 2);
    assert.ok((await app.checkTx({ tx: raw, type: "new" })).code >= 2);
  });

  it("refuses submissions once it closes", async (t) => {
    const engine = await started(t);
    const raw = await sign(alice, { nonce: 0, to: carol });
    await engine.chain.close();
    assert.deepEqual(await engine.chain.submit(raw), { ok: false, code: "closed" });
  });
});

describe("chain: pool and state", () => {
  it("counts a burst that comes in any order, and answers what was submitted before a question", async (t) => {
    const { chain } = await started(t);
    const raws = await Promise.all(Array.from({ length: 300 }, (_, nonce) => sign(alice, { nonce, to: carol })));
    const shuffled = raws.map((raw, index) => raws[index - (index % 50) + 49 - (index % 50)] ?? raw);
    const outcomes = shuffled.map((raw) => chain.submit(raw));
    await chain.submissionsSettled();
    assert.equal(chain.pool.pendingNonce(alice.address), 300n);
    assert.ok((await Promise.all(outcomes)).every((outcome) => outcome.ok));
    assert.equal(chain.submissionsSettled(), undefined);
    assert.deepEqual(chain.pool.status(), { pending: 300, queued: 0 });
  });

  it("demotes and drops transactions of an account that a contract drained", async (t) => {
    const wallet: Address = bob.address;
    // Runtime of the wallet's code: sends its caller the amount in the first word of the call data.
    const drain = `0x6000600060006000600035335af100` as const;
    const implementation: Address = `0x${"d1".repeat(20)}`;
    const engine = await started(t, { alloc: { [implementation]: { balance: "0x0", nonce: 1, code: drain } } });
    const { chain } = engine;
    assert.ok(bob.signAuthorization);
    const authorization = await bob.signAuthorization({ chainId: 358_587, address: implementation, nonce: 0 });
    const setCode = hexToBytes(
      await alice.signTransaction({
        ...{ type: "eip7702", chainId: 358_587, nonce: 0, to: carol, gas: 100_000n, value: 0n },
        ...{ maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 10n ** 9n, authorizationList: [authorization] },
      }),
    );
    const balanceWei = chain.reads.account(wallet, 0n)?.balanceWei ?? 0n;
    const half = balanceWei / 2n;
    assert.ok((await chain.submit(setCode)).ok);
    assert.deepEqual(await chain.submit(await sign(bob, { nonce: 1, to: carol })), {
      ok: false,
      code: "delegated-gap",
    });
    await engine.produce();
    const first = await sign(bob, { nonce: 1, to: carol, value: half });
    assert.ok((await chain.submit(first)).ok);
    const second = await chain.submit(await sign(bob, { nonce: 2, to: carol }));
    assert.deepEqual(second, { ok: false, code: "in-flight-limit" });
    const data = `0x${(half + 1n).toString(16).padStart(64, "0")}` as const;
    const drained = await engine.produce({ txs: [await sign(alice, { nonce: 1, to: wallet, data, gas: 100_000n })] });
    assert.equal(drained.txResults[0]?.code, 0);
    assert.ok((chain.reads.account(wallet, 2n)?.balanceWei ?? balanceWei) < half);
    assert.equal(chain.pool.get(keccak256(first)), undefined);
    assert.deepEqual(chain.pool.status(), { pending: 0, queued: 0 });
  });
});
