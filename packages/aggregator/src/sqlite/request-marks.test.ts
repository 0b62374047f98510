import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { test } from "node:test";
import { sampleSubmission, sampleVerdict } from "../testing/samples.ts";
import { temporaryDirectory } from "../testing/temporary.ts";
import { openSqliteStore } from "./sqlite-store.ts";

const DAY_MS = 24 * 3_600_000;
const named = (text: string): Uint8Array => createHash("sha256").update(text).digest();

test("the request that stored a submission is told from others, for a day, also after a restart", async (t) => {
  const file = join(temporaryDirectory(t), "store.db");
  let store = openSqliteStore(file);
  const insert = async (request: string | undefined, atMs: number, ...texts: readonly string[]) => {
    const name = request === undefined ? undefined : named(request);
    const outcomes = await store.insert(
      texts.map((text) => sampleSubmission(text, { request: name })),
      atMs,
    );
    return outcomes.map(({ outcome }) => outcome);
  };
  assert.deepEqual(await insert("one", 1_000, "a", "b"), ["inserted", "inserted"]);
  assert.deepEqual(await insert(undefined, 1_000, "c"), ["inserted"]);
  await store.close();
  store = openSqliteStore(file);
  t.after(() => store.close());
  assert.deepEqual(await insert("one", 2_000, "a", "b", "c"), ["repeated", "repeated", "duplicate"]);
  assert.deepEqual(await insert("two", 2_000, "a"), ["duplicate"]);
  assert.deepEqual(await insert(undefined, 2_000, "a"), ["duplicate"]);
  assert.deepEqual(await insert("one", 1_000 + DAY_MS - 1, "a"), ["repeated"]);
  assert.deepEqual(await insert("one", 1_000 + DAY_MS, "a"), ["duplicate"]);
  assert.deepEqual(await insert("three", 1_000 + DAY_MS, "d"), ["inserted"]);
  assert.deepEqual(await insert("one", 1_000, "a"), ["duplicate"], "what is over was removed");
});

test("the request that registered a key is told the same again", async (t) => {
  const store = openSqliteStore(join(temporaryDirectory(t), "store.db"));
  t.after(() => store.close());
  const verdict = sampleVerdict("k");
  assert.ok(verdict.ok && verdict.kind === "proof");
  const { system, curve, vkHash } = verdict;
  const key = { system, curve, vkHash, canonicalKey: new Uint8Array(1_000) };
  assert.equal(await store.registerKey(key, 1_000, named("one")), true);
  assert.equal(await store.registerKey(key, 2_000, named("one")), true);
  assert.equal(await store.registerKey(key, 2_000, named("two")), false);
  assert.equal(await store.registerKey(key, 2_000), false);
});
