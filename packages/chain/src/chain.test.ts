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
