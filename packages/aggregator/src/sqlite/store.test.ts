import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import type { ReceiptAnchor, ReceiptSettlement } from "@cairn/proofs";
import type { BatchSettlement } from "../batch-store.ts";
import type { Store } from "../store.ts";
import { hashOf, sampleSubmission, sampleVerdict, stored } from "../testing/samples.ts";
import { temporaryDirectory } from "../testing/temporary.ts";
import { verdictRecord } from "../verifier.ts";
import { StoreVersionError } from "./database.ts";
import { openSqliteStore } from "./sqlite-store.ts";

const SALT = new Uint8Array(32).fill(9);
const PART = { chain_id: 1 } as ReceiptSettlement;
const ANCHOR_PART = { sequence: 1 } as ReceiptAnchor;

function openStore(t: TestContext): Store {
  const store = openSqliteStore(join(temporaryDirectory(t), "store.db"));
  t.after(() => store.close());
  return store;
}

/** Stores and verifies; `statement` the same twice makes the later one a duplicate. */
async function verified(store: Store, text: string, statement = text): Promise<number> {
  const [outcome] = await store.insert([sampleSubmission(text)], 1_000);
  const [item] = await store.received(1, 1_000_000);
  assert.ok(outcome && item);
  await store.recordVerdicts([verdictRecord(item, sampleVerdict(text, statement), SALT)], 2_000);
  return stored(outcome).submission.seq;
}

function settlement(excluded: readonly number[] = []): BatchSettlement {
  const hashes = { root: hashOf("r"), commitment: hashOf("c"), previous: hashOf("p"), transactionHash: hashOf("t") };
  return { ...hashes, header: "0x01", verified: 1, commitments: 0, excluded, block: 5 };
}

const stateOf = async (store: Store, text: string) => (await store.find(sampleSubmission(text).id))?.state;
const historyOf = async (store: Store, seq: number) => (await store.history(seq)).map((entry) => entry.state);

test("the same content again is the same row, also within one group", async (t) => {
  const store = openStore(t);
  const a = sampleSubmission("a", { metadata: '{"x":1}', externalId: "mine", proofData: "nul \u0000 inside" });
  const outcomes = await store.insert([a, sampleSubmission("b"), a], 1_000);
  assert.deepEqual(
    outcomes.map((outcome) => outcome.outcome),
    ["inserted", "inserted", "duplicate"],
  );
  const again = await store.insert([a], 2_000);
  assert.equal(again[0]?.outcome, "duplicate");
  const found = await store.find(a.id);
  assert.deepEqual(found, stored(outcomes[0]).submission);
  assert.equal(found?.metadata, '{"x":1}');
  assert.equal((await store.received(10, 1_000))[0]?.proofData, "nul \u0000 inside");
});

test("a group of proofs for verification is bounded, but never empty", async (t) => {
  const store = openStore(t);
  await store.insert(
    ["aaaa", "bbbb", "cccc"].map((text) => sampleSubmission(text)),
    1,
  );
  assert.equal((await store.received(10, 1)).length, 1);
  assert.equal((await store.received(10, 8)).length, 2);
  assert.equal((await store.received(1, 100)).length, 1);
});

test("a rejection keeps its code; only retryable ones go back to received", async (t) => {
  const store = openStore(t);
  for (const [text, code] of [
    ["a", "invalid-proof"],
    ["b", "unknown-vk"],
  ] as const) {
    const [outcome] = await store.insert([sampleSubmission(text)], 1);
    assert.ok(outcome);
    await store.recordVerdicts([{ ok: false, seq: stored(outcome).submission.seq, code, detail: "why" }], 2);
    assert.deepEqual((await store.find(sampleSubmission(text).id))?.error, { code, detail: "why" });
  }
  const again = await store.insert([sampleSubmission("a"), sampleSubmission("b")], 3);
  assert.deepEqual(
    again.map((outcome) => [outcome.outcome, stored(outcome).submission.state]),
    [
      ["duplicate", "rejected"],
      ["requeued", "received"],
    ],
  );
  assert.equal(stored(again[1]).submission.error, undefined);
});

test("verdicts are stored once", async (t) => {
  const store = openStore(t);
  const seq = await verified(store, "a");
  await store.recordVerdicts([{ ok: false, seq, code: "invalid-proof", detail: "" }], 3_000);
  assert.equal(await stateOf(store, "a"), "verified");
});

test("a batch settles once, its submissions follow to final and back", async (t) => {
  const store = openStore(t);
  const seq = await verified(store, "a");
  const [pending] = await store.pending(10);
  assert.ok(pending && pending.seq === seq && pending.keyBytes === 105);
  assert.equal(await store.closeBatch({ slots: [seq], bytes: 10 }, 3_000), 1);
  assert.deepEqual(await store.pending(10), []);
  assert.equal((await store.slots(1))[0]?.curve, "bn254");
  assert.equal((await store.leaves(1)).length, 1);
  assert.deepEqual(await store.settle(1, settlement(), PART, 4_000), { applied: true });
  assert.deepEqual(await store.settle(1, settlement(), PART, 4_001), { applied: false });
  await store.createAnchor({ ...anchor(1), createdAtMs: 5_000 }, [1]);
  assert.deepEqual(await store.unanchored(10), []);
  await store.anchorAccepted(1);
  const block = { height: 7, blockHash: "aa", txid: anchor(1).txid };
  await store.anchorMined(1, block, new Map([[1, ANCHOR_PART]]), 6_000);
  assert.deepEqual(await store.receiptAnchor(1), ANCHOR_PART);
  await store.anchorLost(1, "reorged", 0, 7_000);
  assert.equal(await stateOf(store, "a"), "settled");
  assert.equal(await store.receiptAnchor(1), undefined);
  await store.anchorMined(1, block, new Map([[1, ANCHOR_PART]]), 8_000);
  await store.anchorFinal(1, 9_000);
  await store.anchorLost(1, "reorged", 0, 9_500);
  const states = ["received", "verified", "batched", "settled", "anchored", "settled", "anchored", "final"];
  assert.deepEqual(await historyOf(store, seq), states);
  assert.equal((await store.batch(1))?.state, "final");
  await store.anchorLost(1, "orphaned", 0, 10_000);
  await store.anchorLost(1, "orphaned", 0, 10_001);
  assert.deepEqual(await historyOf(store, seq), [...states, "settled"]);
  assert.equal((await store.batch(1))?.state, "settled");
  assert.equal(await store.receiptAnchor(1), undefined);
  assert.deepEqual(await store.unanchored(10), [], "it stays in its anchor");
  const lost = await store.anchor(1);
  assert.deepEqual(
    [lost?.state, lost?.mined, lost?.finalAtMs, lost?.fromHeight],
    ["broadcast", undefined, undefined, 0],
  );
});

test("a duplicate statement shares its original's batch, before and after it closed", async (t) => {
  const store = openStore(t);
  const first = await verified(store, "a", "same");
  const early = await verified(store, "b", "same");
  assert.equal((await store.pending(10)).length, 1);
  await store.closeBatch({ slots: [first], bytes: 10 }, 3_000);
  await store.settle(1, settlement(), PART, 4_000);
  const late = await verified(store, "c", "same");
  for (const [text, seq] of [
    ["b", early],
    ["c", late],
  ] as const) {
    const found = await store.find(sampleSubmission(text).id);
    assert.deepEqual(found?.batch, { number: 1, index: 0 });
    assert.equal(found.duplicateOf?.id, sampleSubmission("a").id);
    assert.deepEqual(await historyOf(store, seq), ["received", "verified", "batched", "settled"]);
  }
});

test("an excluded slot rejects its submission and queues its first duplicate again", async (t) => {
  const store = openStore(t);
  const first = await verified(store, "a", "same");
  const other = await verified(store, "x");
  await verified(store, "b", "same");
  await verified(store, "c", "same");
  await store.closeBatch({ slots: [first, other], bytes: 10 }, 3_000);
  await store.settle(1, settlement([0]), PART, 4_000);
  assert.equal((await store.find(sampleSubmission("a").id))?.error?.code, "excluded-in-consensus");
  assert.equal(await stateOf(store, "x"), "settled");
  const heir = await store.find(sampleSubmission("b").id);
  assert.equal(heir?.duplicateOf, undefined);
  assert.deepEqual(
    (await store.pending(10)).map((slot) => slot.seq),
    [heir?.seq],
  );
  assert.equal((await store.find(sampleSubmission("c").id))?.duplicateOf?.id, sampleSubmission("b").id);
  assert.notDeepEqual((await store.leaves(1))[0], (await store.leaves(1))[1]);
});

test("attempts: the newest counts, nonces are remembered", async (t) => {
  const store = openStore(t);
  await store.closeBatch({ slots: [await verified(store, "a")], bytes: 10 }, 3_000);
  const attempt = { batch: 1, attempt: 1, nonce: 4, hash: hashOf("1"), state: "signed" as const, signedAtMs: 1 };
  await store.addAttempt({ ...attempt, raw: Uint8Array.of(1) });
  await store.moveAttempt(1, 1, "reverted");
  await store.moveAttempt(1, 1, "accepted");
  await store.addAttempt({ ...attempt, attempt: 2, nonce: 5, hash: hashOf("2"), raw: Uint8Array.of(2) });
  assert.equal((await store.unsettled(9))[0]?.attempt?.attempt, 2);
  assert.equal(await store.lastNonce(), 5);
  assert.deepEqual(await store.attemptRaw(1, 2), Uint8Array.of(2));
});

test("listing filters and pages, newest first", async (t) => {
  const store = openStore(t);
  await store.insert(
    ["a", "b", "c"].map((text, i) => sampleSubmission(text, { externalId: `e${i % 2}` })),
    1_000,
  );
  const account = "sandbox";
  const all = await store.list({ account, limit: 10 });
  assert.deepEqual(
    all.map((item) => item.seq),
    [3, 2, 1],
  );
  assert.equal((await store.list({ account, limit: 10, before: 3 })).length, 2);
  assert.equal((await store.list({ account, limit: 10, externalId: "e0" })).length, 2);
  assert.equal((await store.list({ account, limit: 10, chainKey: "test-1", state: "received" })).length, 3);
  assert.equal((await store.list({ account, limit: 10, sinceMs: 1_001 })).length, 0);
  assert.equal((await store.list({ account: "other", limit: 10 })).length, 0);
  assert.equal((await store.countByState()).received, 3);
});

test("a store written by a newer version is not opened", (t) => {
  const file = join(temporaryDirectory(t), "store.db");
  const database = new DatabaseSync(file);
  database.exec("PRAGMA user_version = 999");
  database.close();
  assert.throws(() => openSqliteStore(file), StoreVersionError);
});

function anchor(sequence: number) {
  const coin = { txid: "11", vout: 0, valueSat: 1 };
  const hashes = { root: hashOf("ar"), commitment: hashOf("ac"), header: "0x02" as const };
  const rest = { network: "regtest", size: 1, rawTx: Uint8Array.of(3), txid: "22", feeSat: 2, fromHeight: 1 };
  return { sequence, ...hashes, ...rest, input: coin, change: coin };
}
