import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { PROPOSAL_ACCEPT, PROPOSAL_REJECT } from "@cairn/abci";
import { type Address, bytesToHex, hexToBytes } from "@cairn/primitives";
import { keccak256 } from "viem";
import type { HeadEvent } from "./chain.ts";
import { ChainError } from "./chain-error.ts";
import { SANDBOX_ACCOUNTS } from "./sandbox-accounts.ts";
import { ETHERBASE, initRequest, PROPOSER, sandboxAccount, sign, startTestEngine } from "./testing/test-engine.ts";

const alice = sandboxAccount(0);
const bob = sandboxAccount(1);
const carol: Address = `0x${"cc".repeat(20)}`;

async function started(t: TestContext, options: Parameters<typeof startTestEngine>[0] = {}) {
  const engine = await startTestEngine(options);
  t.after(() => engine.close());
  return engine;
}

/** Init code of a contract whose runtime is `runtime`. */
function deployer(runtime: string): `0x${string}` {
  const size = (runtime.length / 2).toString(16).padStart(2, "0");
  return `0x60${size}600c60003960${size}6000f3${runtime}`;
}

describe("chain: genesis", () => {
  it("funds the accounts everybody knows", () => {
    const known = SANDBOX_ACCOUNTS.map((_, index) => sandboxAccount(index).address.toLowerCase());
    assert.deepEqual(SANDBOX_ACCOUNTS, known);
  });

  it("starts at block 0 and answers its hash to InitChain", async (t) => {
    const { chain, genesis } = await started(t);
    assert.equal(chain.head().number, 0n);
    assert.equal(chain.chainId, 358_587n);
    const { appHash } = await chain.app.initChain(initRequest(genesis));
    assert.equal(bytesToHex(appHash), chain.head().hash);
    const other = initRequest({ ...genesis, chainId: 1 });
    await assert.rejects(
      chain.app.initChain(other),
      (error) => error instanceof ChainError && error.code === "genesis-mismatch",
    );
  });
});

describe("chain: blocks", () => {
  it("takes a transfer from submission to receipt", async (t) => {
    const engine = await started(t);
    const { chain } = engine;
    const raw = await sign(alice, { nonce: 0, to: carol, value: 5n });
    const outcome = await chain.submit(raw);
    assert.deepEqual(outcome, { ok: true, hash: keccak256(raw) });
    assert.equal(chain.pool.pendingNonce(alice.address), 1n);
    assert.ok(chain.hasTransactions());

    const block = await engine.produce();
    assert.equal(block.txResults.length, 1);
    assert.equal(block.txResults[0]?.code, 0);
    assert.equal(block.txResults[0]?.gasUsed, 21_000n);
    assert.equal(bytesToHex(block.appHash), chain.head().hash);
    assert.equal(chain.reads.account(carol, 1n)?.balanceWei, 5n);
    const receipt = JSON.parse(chain.reads.receiptJson(keccak256(raw)) ?? "null");
    assert.equal(receipt.status, "0x1");
    assert.equal(receipt.blockHash, chain.head().hash);
    assert.equal(chain.pool.get(keccak256(raw)), undefined);
    assert.deepEqual(chain.pool.status(), { pending: 0, queued: 0 });
    assert.ok(!chain.hasTransactions());
    assert.equal(chain.pool.pendingNonce(alice.address), 1n);
  });

  it("pays priority fees to the proposer's etherbase, or to its own address", async (t) => {
    const engine = await started(t);
    const { chain } = engine;
    assert.equal(chain.etherbase(PROPOSER), ETHERBASE);
    const stranger = new Uint8Array(20).fill(9);
    assert.equal(chain.etherbase(stranger), bytesToHex(stranger));
    await chain.submit(await sign(alice, { nonce: 0, to: carol, value: 1n, tip: 7n }));
    await engine.produce();
    assert.equal(chain.reads.account(ETHERBASE, 1n)?.balanceWei, 7n * 21_000n);
    assert.equal(JSON.parse(chain.reads.headerJson(1n) ?? "null").miner, ETHERBASE);
  });

  it("uses whole seconds, never below the parent's", async (t) => {
    const engine = await started(t);
    await engine.produce({ seconds: 1_800_000_000n });
    assert.equal(engine.chain.head().timestamp, 1_800_000_000n);
    await engine.produce({ seconds: 1_700_000_000n });
    assert.equal(engine.chain.head().timestamp, 1_800_000_000n);
  });

  it("gives a failed call code 1 and keeps its receipt", async (t) => {
    const engine = await started(t);
    const revert = await sign(alice, { nonce: 0, data: deployer("60006000fd"), gas: 100_000n });
    await engine.chain.submit(revert);
    const created = await engine.produce();
    const { contractAddress } = JSON.parse(engine.chain.reads.receiptJson(keccak256(created.txs[0] ?? revert)) ?? "");
    await engine.chain.submit(await sign(alice, { nonce: 1, to: contractAddress, gas: 50_000n }));
    const failed = await engine.produce();
    const [result] = failed.txResults;
    assert.equal(result?.code, 1);
    const types = result?.events.map((event) => event.type);
    assert.deepEqual(types, ["ethereum_tx", "ethereum", "message"]);
    assert.ok(result?.events[0]?.attributes.some((attribute) => attribute.key === "ethereumTxFailed"));
  });

  it("refuses a proposal with a transaction that cannot run, and skips it when it is decided all the same", async (t) => {
    const engine = await started(t);
    const good = await sign(alice, { nonce: 0, to: carol });
    const gapped = await sign(bob, { nonce: 3, to: carol });
    const { decidedLastCommit: proposedLastCommit, ...proposal } = engine.request([good, gapped]);
    assert.equal(await engine.chain.app.processProposal({ ...proposal, proposedLastCommit }), PROPOSAL_REJECT);
    const { decidedLastCommit: commit, ...fine } = engine.request([good]);
    assert.equal(await engine.chain.app.processProposal({ ...fine, proposedLastCommit: commit }), PROPOSAL_ACCEPT);
    const block = await engine.produce({ txs: [good, gapped] });
    assert.equal(block.txResults[0]?.code, 0);
    assert.ok((block.txResults[1]?.code ?? 0) >= 2);
    assert.equal(engine.chain.reads.receiptJson(keccak256(gapped)), null);
    assert.equal(engine.chain.reads.transactionCount(1n), 1);
  });

  it("proposes within the engine's bytes, in fee order", async (t) => {
    const engine = await started(t);
    const cheap = await sign(alice, { nonce: 0, to: carol, tip: 1n });
    const dear = await sign(bob, { nonce: 0, to: carol, tip: 2n });
    const next = await sign(bob, { nonce: 1, to: carol, tip: 9n });
    await Promise.all([cheap, next, dear].map((raw) => engine.chain.submit(raw)));
    const room = BigInt(dear.length + next.length + 2 * 2);
    const block = await engine.produce({ maxTxBytes: room });
    assert.deepEqual(block.txs, [dear, next]);
    assert.deepEqual((await engine.produce()).txs, [cheap]);
  });

  it("refuses a block that does not follow the head, and a commit of nothing", async (t) => {
    const engine = await started(t);
    const request = { ...engine.request([]), height: 5n };
    await assert.rejects(engine.chain.app.finalizeBlock(request), { code: "wrong-height" });
    await assert.rejects(engine.chain.app.commit(), { code: "nothing-finalized" });
  });

  it("tells the engine where it stands", async (t) => {
    const engine = await started(t);
    await engine.produce();
    const info = await engine.chain.app.info({ version: "", blockVersion: 11n, p2pVersion: 8n, abciVersion: "" });
    assert.equal(info.lastBlockHeight, 1n);
    assert.equal(bytesToHex(info.lastBlockAppHash), engine.chain.head().hash);
    assert.equal(info.appVersion, 1n);
  });
});

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

describe("chain: heads, filters, reads", () => {
  it("publishes each head once with its logs, after the pool took it in", async (t) => {
    const engine = await started(t);
    const { chain } = engine;
    // LOG1 with topic 7 and no data.
    const deploy = await sign(alice, { nonce: 0, data: deployer("600760006000a1"), gas: 100_000n });
    await chain.submit(deploy);
    await engine.produce();
    const { contractAddress } = JSON.parse(chain.reads.receiptJson(keccak256(deploy)) ?? "");
    const events: HeadEvent[] = [];
    const off = chain.onHead((event) => {
      assert.equal(chain.head().hash, event.head.hash);
      assert.equal(chain.pool.status().pending, 0);
      events.push(event);
    });
    const topic = `0x${"7".padStart(64, "0")}` as const;
    const logs = chain.filters.newLogFilter({ addresses: [contractAddress], topics: [[topic]] });
    const none = chain.filters.newLogFilter({ addresses: [carol], topics: [] });
    const blocks = chain.filters.newBlockFilter();
    assert.ok(logs.ok && none.ok && blocks.ok);
    const call = await sign(alice, { nonce: 1, to: contractAddress, gas: 50_000n });
    await chain.submit(call);
    await engine.produce();
    off();
    await engine.produce();
    assert.equal(events.length, 1);
    assert.deepEqual(events[0]?.hashes, [keccak256(call)]);
    assert.equal(JSON.parse(events[0]?.headerJson ?? "{}").hash, events[0]?.head.hash);
    assert.deepEqual(
      [...(events[0]?.logs() ?? [])].map((log) => log.topics),
      [[topic]],
    );
    const changes = chain.filters.changes(logs.id);
    assert.ok(changes.ok && changes.kind === "logs");
    assert.deepEqual(changes.blocks, { fromBlock: 2n, toBlock: 3n });
    const { addresses, topics } = changes.criteria;
    const found = await chain.reads.logsJson({ ...changes.blocks, addresses, topics, maxResults: 9 });
    assert.equal(found.ok && JSON.parse(found.json).length, 1);
    assert.ok(chain.filters.changes(none.id).ok);
    const hashes = [events[0]?.head.hash, chain.head().hash];
    assert.deepEqual(chain.filters.changes(blocks.id), { ok: true, kind: "blocks", hashes });
  });

  it("resolves tags, heights and hashes", async (t) => {
    const engine = await started(t);
    const { chain } = engine;
    await engine.produce();
    for (const tag of ["latest", "safe", "finalized", "pending"] as const) assert.equal(chain.resolve(tag), 1n);
    assert.equal(chain.resolve("earliest"), 0n);
    assert.equal(chain.resolve(1n), 1n);
    assert.equal(chain.resolve(2n), undefined);
    assert.equal(chain.resolve(chain.head().hash), 1n);
    assert.equal(chain.resolve(`0x${"00".repeat(32)}`), undefined);
  });
});

describe("chain: crashes", () => {
  it("forgets a finalized block that was not committed, and makes the same one again", async (t) => {
    const engine = await startTestEngine();
    const raw = await sign(alice, { nonce: 0, to: carol, value: 1n });
    await engine.produce();
    const request = engine.request([raw]);
    const { appHash } = await engine.chain.app.finalizeBlock(request);
    const before = engine.chain.head().hash;
    await engine.stop();

    const again = await startTestEngine({ dir: engine.dir });
    t.after(() => again.close());
    assert.equal(again.chain.head().number, 1n);
    assert.equal(again.chain.head().hash, before);
    assert.equal(again.chain.reads.receiptJson(keccak256(raw)), null);
    const replayed = await again.chain.app.finalizeBlock(request);
    assert.deepEqual(replayed.appHash, appHash);
    await again.chain.app.commit();
    assert.deepEqual(hexToBytes(again.chain.head().hash), appHash);
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
