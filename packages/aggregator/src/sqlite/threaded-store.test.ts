import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import type { Worker } from "node:worker_threads";
import { StoreLostError, StoreUnavailableError, StoreVersionError } from "../index.ts";
import { sampleSubmission } from "../testing/samples.ts";
import { temporaryDirectory } from "../testing/temporary.ts";
import { openSqliteStore } from "./sqlite-store.ts";
import { openThreadedStore } from "./threaded-store.ts";

test("the thread's store is the store: what one wrote the other reads", async (t) => {
  const file = join(temporaryDirectory(t), "store.db");
  const threaded = await openThreadedStore(file);
  const [outcome] = await threaded.insert([sampleSubmission("one")], 1_000);
  assert.equal(outcome?.outcome, "inserted");
  await threaded.set("probe", "here");
  await threaded.close();
  const plain = openSqliteStore(file);
  assert.deepEqual(await plain.find(outcome?.submission.id ?? "0x"), outcome?.submission);
  assert.equal(await plain.setting("probe"), "here");
  await plain.close();
});

test("bytes, missing values and faults come through", async (t) => {
  const file = join(temporaryDirectory(t), "store.db");
  const threaded = await openThreadedStore(file);
  assert.equal(await threaded.setting("probe"), undefined);
  assert.equal(await threaded.canonicalProof(7), undefined);
  const locked = new DatabaseSync(file);
  locked.exec("DROP TABLE settings");
  await assert.rejects(threaded.set("probe", "x"), /no such table/);
  locked.close();
  await threaded.close();
  await assert.rejects(threaded.setting("probe"), StoreUnavailableError);
});

test("a thread that ends is no disk that recovers: every call says so, and closing still works", async (t) => {
  const thread = Promise.withResolvers<Worker>();
  process.once("worker", thread.resolve);
  const threaded = await openThreadedStore(join(temporaryDirectory(t), "store.db"));
  const waiting = threaded.setting("probe");
  await (await thread.promise).terminate();
  await assert.rejects(
    waiting.then(() => threaded.setting("probe")),
    StoreLostError,
  );
  await assert.rejects(threaded.set("probe", "x"), StoreLostError);
  await threaded.close();
});

test("a store of a newer version is refused with its type", async (t) => {
  const file = join(temporaryDirectory(t), "store.db");
  await openSqliteStore(file).close();
  const newer = new DatabaseSync(file);
  newer.exec("PRAGMA user_version = 9999");
  newer.close();
  await assert.rejects(openThreadedStore(file), StoreVersionError);
});
