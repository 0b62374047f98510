import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import type { ReceiptAnchor, ReceiptSettlement } from "@cairn/proofs";
import type { Store } from "../store.ts";
import { hashOf, sampleSubmission, sampleVerdict, stored } from "../testing/samples.ts";
import { temporaryDirectory } from "../testing/temporary.ts";
import { verdictRecord } from "../verifier.ts";
import { openDatabase } from "./database.ts";
import { MIGRATIONS } from "./migrations.ts";
import { openSqliteStore, storeOn } from "./sqlite-store.ts";

const DAY_MS = 86_400_000;
const SALT = new Uint8Array(32).fill(9);
const ALL = { fromMs: 0, toMs: 100 * DAY_MS };
const hashes = { root: hashOf("r"), commitment: hashOf("c"), previous: hashOf("p"), transactionHash: hashOf("t") };
const settlement = { ...hashes, header: "0x01" as const, verified: 2, commitments: 0, excluded: [], block: 5 };

async function verify(store: Store, text: string, atMs: number, o: object = {}): Promise<void> {
  await store.insert([sampleSubmission(text, o)], atMs);
  const [item] = await store.received(1, 1_000_000);
  assert.ok(item);
  await store.recordVerdicts([verdictRecord(item, sampleVerdict(text), SALT)], atMs);
}

test("usage counts by day and chain what was accepted, judged and settled", async (t) => {
  const store = openSqliteStore(join(temporaryDirectory(t), "store.db"));
  t.after(() => store.close());
  await verify(store, "a", DAY_MS - 1);
  await verify(store, "b", DAY_MS, { chainId: "Two", chainKey: "two" });
  const [outcome] = await store.insert([sampleSubmission("c"), sampleSubmission("c")], DAY_MS);
  const refusal = { ok: false as const, seq: stored(outcome).submission.seq, code: "unknown-vk", detail: "" };
  await store.recordVerdicts([refusal], DAY_MS);
  await store.insert([sampleSubmission("c")], DAY_MS);
  const chain = sampleSubmission("a").chainKey;
  assert.deepEqual(await store.usage(sampleSubmission("a").account, ALL), [
    { day: "1970-01-02", chainKey: chain, submissions: 2, verified: 0, rejected: 1, settled: 0 },
    { day: "1970-01-02", chainKey: "two", submissions: 1, verified: 1, rejected: 0, settled: 0 },
    { day: "1970-01-01", chainKey: chain, submissions: 1, verified: 1, rejected: 0, settled: 0 },
  ]);
  assert.deepEqual([...(await store.submissionsOfDay(DAY_MS))], [[sampleSubmission("a").account, 3]]);
  assert.deepEqual(await store.usage("another", ALL), []);
});

/** Two verified, one settled with its batch, one resubmitted; then Bitcoin takes the anchor back, twice. */
async function live(store: Store): Promise<void> {
  await verify(store, "a", 0);
  await verify(store, "b", 0);
  const seqs = (await store.pending(10)).map(({ seq }) => seq);
  await store.closeBatch({ slots: seqs.slice(0, 1), bytes: 10 }, DAY_MS);
  await store.settle(1, settlement, {} as ReceiptSettlement, 2 * DAY_MS);
  const coin = { txid: "11", vout: 0, valueSat: 1 };
  const made = { root: hashOf("ar"), commitment: hashOf("ac"), header: "0x02" as const, rawTx: Uint8Array.of(3) };
  const rest = { sequence: 1, network: "regtest", size: 1, txid: "22", feeSat: 2, fromHeight: 1, createdAtMs: 0 };
  await store.createAnchor({ ...made, ...rest, input: coin, change: coin }, [1]);
  await store.anchorAccepted(1);
  const block = { height: 7, blockHash: "aa", txid: "22" };
  for (const day of [3, 4]) {
    await store.anchorMined(1, block, new Map([[1, {} as ReceiptAnchor]]), day * DAY_MS);
    await store.anchorLost(1, "reorged", 0, day * DAY_MS + 1);
  }
  await store.insert([sampleSubmission("c")], 5 * DAY_MS);
}

test("a settlement is counted once, on its day, whatever Bitcoin does", async (t) => {
  const store = openSqliteStore(join(temporaryDirectory(t), "store.db"));
  t.after(() => store.close());
  await live(store);
  const { account, chainKey } = sampleSubmission("a");
  const nothing = { chainKey, submissions: 0, verified: 0, rejected: 0, settled: 0 };
  assert.deepEqual(await store.usage(account, ALL), [
    { ...nothing, day: "1970-01-06", submissions: 1 },
    { ...nothing, day: "1970-01-03", settled: 1 },
    { ...nothing, day: "1970-01-01", submissions: 2, verified: 2 },
  ]);
});

test("a store from before usage was counted is counted when it is opened", async (t) => {
  const file = join(temporaryDirectory(t), "store.db");
  const before = MIGRATIONS.findIndex((sql) => sql.includes("TABLE usage"));
  const old = storeOn(openDatabase(file, MIGRATIONS.slice(0, before)));
  await live(old);
  await old.close();
  const opened = openSqliteStore(file);
  const fresh = openSqliteStore(join(temporaryDirectory(t), "store.db"));
  t.after(() => Promise.all([opened.close(), fresh.close()]));
  await live(fresh);
  const { account } = sampleSubmission("a");
  assert.deepEqual(await opened.usage(account, ALL), await fresh.usage(account, ALL));
});
