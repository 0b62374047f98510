import assert from "node:assert/strict";
import { test } from "node:test";
import type { Head } from "@cairn/native";
import { type Address, bytesToHex } from "@cairn/primitives";
import { createPendingBlock } from "./pending-block.ts";
import { ETHERBASE, PROPOSER, sandboxAccount, sign, startTestEngine } from "./testing/test-engine.ts";

const alice = sandboxAccount(0);
const bob = sandboxAccount(1);
const carol: Address = `0x${"cc".repeat(20)}`;
const HEADER_FIELDS = [
  ...(["number", "parentHash", "mixHash", "sha3Uncles", "logsBloom", "stateRoot", "gasLimit", "gasUsed"] as const),
  ...(["timestamp", "transactionsRoot", "receiptsRoot", "baseFeePerGas", "parentBeaconBlockRoot"] as const),
];
/** Emits LOG0 of nothing and stores the block's time in slot 0. */
const NOTES_TIME = "0x425f555f5fa000";

test("the pending block is what the proposer then makes: same roots, gas and receipts", async (t) => {
  const seconds = 1_700_000_777n;
  const contract: Address = `0x${"c0de".repeat(10)}`;
  const alloc = { [contract]: { balance: "0x0", code: NOTES_TIME } } as const;
  const engine = await startTestEngine({ clock: () => Number(seconds) * 1000, alloc });
  t.after(() => engine.close());
  const { chain } = engine;
  const raws = [
    await sign(alice, { nonce: 0, to: carol, value: 5n }),
    await sign(alice, { nonce: 1, to: contract, gas: 90_000n }),
    await sign(bob, { nonce: 0, to: contract, gas: 90_000n, tip: 3n }),
    // Sends away what the pool counts on: the proposer leaves the second one out, and so does the pending block.
    await sign(bob, { nonce: 1, to: carol, value: 10n ** 18n, tip: 2n }),
  ];
  for (const raw of raws) assert.ok((await chain.submit(raw)).ok);

  const at = await chain.pending(PROPOSER);
  assert.equal(at, "pending");
  const pending = JSON.parse((await chain.reads.blockJson(at, false)) ?? "null");
  const receipts = JSON.parse((await chain.reads.blockReceiptsJson(at)) ?? "null");
  assert.deepEqual([pending.hash, pending.nonce, pending.miner], [null, null, null]);
  assert.equal(chain.reads.account(carol, at)?.balanceWei, 5n + 10n ** 18n);
  assert.equal(chain.reads.account(carol, 0n)?.balanceWei, 0n);
  const fees = chain.reads.account(ETHERBASE, at)?.balanceWei;

  await engine.produce({ seconds });
  const block = JSON.parse((await chain.reads.blockJson(1n, false)) ?? "null");
  for (const field of HEADER_FIELDS) assert.equal(pending[field], block[field], field);
  assert.deepEqual(pending.transactions, block.transactions);
  assert.equal(chain.reads.account(ETHERBASE, 1n)?.balanceWei, fees);
  const committed = JSON.parse((await chain.reads.blockReceiptsJson(1n)) ?? "null");
  for (const [index, receipt] of receipts.entries()) {
    assert.equal(receipt.blockHash, null);
    const logs = receipt.logs.map((log: object) => ({ ...log, blockHash: block.hash }));
    assert.deepEqual({ ...receipt, blockHash: block.hash, logs }, committed[index]);
  }
});

test("readers never touch the block in progress", async (t) => {
  const engine = await startTestEngine();
  t.after(() => engine.close());
  const { chain } = engine;
  await chain.submit(await sign(alice, { nonce: 0, to: carol, value: 1n }));
  const { decidedLastCommit, hash, ...rest } = engine.request([]);
  const { txs } = await chain.app.prepareProposal({
    ...rest,
    localLastCommit: decidedLastCommit,
    maxTxBytes: 1_000_000n,
  });
  const request = engine.request(txs);
  const { appHash } = await chain.app.finalizeBlock(request);
  await chain.pending(PROPOSER);
  await chain.submit(await sign(alice, { nonce: 1, to: carol, value: 2n }));
  await chain.pending(PROPOSER);
  await chain.app.commit();
  assert.equal(bytesToHex(appHash), chain.head().hash);
  assert.equal(chain.reads.account(carol, await chain.pending(PROPOSER))?.balanceWei, 3n);
  assert.notEqual(bytesToHex(hash), chain.head().hash);
});

interface Rig {
  readonly builds: bigint[];
  version: number;
  nowMs: number;
  buildMs: number;
  pausedMs: number;
  head: Pick<Head, "hash" | "number">;
}

function rigged(rig: Rig) {
  return createPendingBlock({
    native: {
      storage: () => undefined,
      async buildPending({ timestamp }) {
        rig.builds.push(timestamp);
        rig.nowMs += rig.buildMs;
        return rig.head.hash;
      },
    },
    head: () => rig.head as Head,
    selection: () => [],
    poolVersion: () => rig.version,
    settled: () => undefined,
    clock: () => rig.nowMs,
    async pause(ms) {
      rig.pausedMs += ms;
      rig.nowMs += ms;
    },
  });
}

const newRig = (buildMs: number): Rig => ({
  builds: [],
  version: 1,
  nowMs: 1_000_000,
  buildMs,
  pausedMs: 0,
  head: { hash: `0x${"aa".repeat(32)}`, number: 7n },
});

test("it is built once for all who wait, and again when pool, head or time moved on", async () => {
  const rig = newRig(1);
  const pending = rigged(rig);
  await Promise.all([pending(), pending(), pending()]);
  assert.equal(rig.builds.length, 1);
  rig.version++;
  await pending();
  assert.equal(rig.builds.length, 2);
  rig.nowMs += 999;
  await pending();
  assert.equal(rig.builds.length, 3);
  rig.head = { hash: `0x${"bb".repeat(32)}`, number: 8n };
  await pending();
  assert.equal(rig.builds.length, 4);
  await pending();
  assert.equal(rig.builds.length, 4);
});

test("one that is dear to build takes a quarter of the time at most, and nobody is answered from an old pool", async () => {
  const rig = newRig(100);
  const pending = rigged(rig);
  const beganMs = rig.nowMs;
  for (let i = 1; i <= 10; i++) {
    rig.version++;
    await pending();
    assert.equal(rig.builds.length, i);
  }
  assert.equal(rig.nowMs - beganMs, 9 * 400 + 100);
  assert.equal(rig.pausedMs, 9 * 300);
  await pending();
  assert.equal(rig.builds.length, 10);
  rig.head = { hash: `0x${"cc".repeat(32)}`, number: 8n };
  await pending();
  assert.equal(rig.builds.length, 11);
});
