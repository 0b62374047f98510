import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { openDatabase } from "@cairn/aggregator";
import { restRoutes } from "@cairn/api";
import fc from "fast-check";
import { createGroupCommit } from "../delivery/group-commit.ts";
import { DELIVERY_MIGRATIONS } from "../delivery/migrations.ts";
import { atEnd, temporaryHome } from "../testing/fixture.ts";
import { ANSWER_LIMITS, type AnswerLimits, createAnswerStore, type StoredAnswer } from "./answer-store.ts";
import { createIdempotency, parseIdempotencyKey } from "./idempotency.ts";

const DAY_MS = 24 * 3_600_000;
const print = (name: string) => new TextEncoder().encode(name);
const answerOf = (body: string): StoredAnswer => ({ status: 202, headers: { location: "/x" }, body });

function open(t: TestContext, o: { file?: string; limits?: AnswerLimits } = {}) {
  const file = o.file ?? join(temporaryHome(t), "delivery.db");
  const database = openDatabase(file, DELIVERY_MIGRATIONS);
  const commits = createGroupCommit(database);
  let nowMs = 1_000_000;
  const failures: unknown[] = [];
  const store = createAnswerStore(database, o.limits ?? ANSWER_LIMITS);
  const onFailure = (error: unknown) => void failures.push(error);
  const keys = createIdempotency({ store, commits, clock: () => nowMs, onFailure });
  const close = () => {
    keys.close();
    database.close();
  };
  const keep = async (account: string, key: string, body: string) => {
    const claim = keys.claim({ account, key, fingerprint: print(body) });
    assert.ok(claim.kind === "new", `${key}: ${claim.kind}`);
    await claim.pending.finish(answerOf(body));
  };
  const ask = (account: string, key: string, body: string) =>
    keys.claim({ account, key, fingerprint: print(body) }).kind;
  const pass = (ms: number): void => {
    nowMs += ms;
  };
  return { file, database, keys, keep, ask, close, pass };
}

test("a key is new, in progress, then kept for its account and request, also after a restart", async (t) => {
  const first = open(t);
  const claim = first.keys.claim({ account: "a", key: "k", fingerprint: print("one") });
  assert.equal(first.ask("a", "k", "one"), "in-progress");
  assert.equal(first.ask("a", "k", "two"), "mismatch");
  assert.ok(claim.kind === "new");
  await claim.pending.finish(answerOf("one"));
  first.close();
  const again = open(t, { file: first.file });
  atEnd(t, again.close);
  const replay = again.keys.claim({ account: "a", key: "k", fingerprint: print("one") });
  assert.deepEqual(replay, { kind: "replay", answer: answerOf("one") });
  assert.equal(again.ask("a", "k", "two"), "mismatch");
  assert.equal(again.ask("b", "k", "two"), "new", "another account's key is another key");
});

test("a refused request leaves its key free; a day later a key is free again", async (t) => {
  const { keys, keep, ask, close, pass } = open(t);
  atEnd(t, close);
  const claim = keys.claim({ account: "a", key: "k", fingerprint: print("one") });
  assert.ok(claim.kind === "new");
  claim.pending.abandon();
  await keep("a", "k", "two");
  pass(DAY_MS - 1);
  assert.equal(ask("a", "k", "two"), "replay");
  pass(1);
  await keep("a", "k", "three");
  assert.equal(ask("a", "k", "three"), "replay");
});

test("an account keeps its newest answers, by count and by bytes; another account keeps its own", async (t) => {
  const limits = { keptMs: DAY_MS, answers: 3, bytes: 150 };
  const { file, database, keep, ask, close } = open(t, { limits });
  await keep("other", "k", "theirs");
  for (const key of ["1", "2", "3", "4"]) await keep("a", key, key);
  assert.deepEqual(
    ["4", "3", "2"].map((key) => ask("a", key, key)),
    ["replay", "replay", "replay"],
  );
  assert.equal(ask("a", "1", "1"), "new");
  await keep("a", "large", "x".repeat(99));
  assert.equal(ask("a", "3", "3"), "new", "made room");
  assert.equal(ask("other", "k", "theirs"), "replay");
  close();
  const again = open(t, { file, limits });
  atEnd(t, again.close);
  await again.keep("a", "larger", "y".repeat(60));
  assert.equal(again.ask("a", "large", "x".repeat(99)), "new", "counted again from the file");
  assert.notEqual(database, again.database);
});

test("a record that cannot be written is told, and the key is free for the next try", async (t) => {
  const { database, keys, keep, close } = open(t);
  atEnd(t, close);
  const pages = database.get("PRAGMA page_count")?.page_count;
  database.get(`PRAGMA max_page_count = ${Number(pages)}`);
  const claim = keys.claim({ account: "a", key: "k", fingerprint: print("one") });
  assert.ok(claim.kind === "new");
  await assert.rejects(claim.pending.finish(answerOf("x".repeat(100_000))), /disk full/);
  database.get("PRAGMA max_page_count = 1000000");
  await keep("a", "k", "one");
});

test("keys are quoted strings or bare words of visible characters", () => {
  assert.equal(parseIdempotencyKey('"8e03978e-40d5-43e8-bc93-6894a57f9324"'), "8e03978e-40d5-43e8-bc93-6894a57f9324");
  assert.equal(parseIdempotencyKey(String.raw`"a\"b\\c"`), String.raw`a"b\c`);
  assert.equal(parseIdempotencyKey(" bare-word "), "bare-word");
  for (const bad of ["", '""', '"', '"a', 'a"', "two words", "é", `"${"x".repeat(256)}"`, "x".repeat(256), '"\\x"']) {
    assert.equal(parseIdempotencyKey(bad), undefined, bad);
  }
  const visible = fc.string({
    unit: fc.integer({ min: 0x20, max: 0x7e }).map((c) => String.fromCharCode(c)),
    minLength: 1,
  });
  fc.assert(
    fc.property(visible, (key) => {
      fc.pre(key.length <= 255);
      assert.equal(parseIdempotencyKey(`"${key.replaceAll(/["\\]/g, "\\$&")}"`), key);
    }),
  );
});

test("the form that the documents give is the one that is read", () => {
  const documented = restRoutes.submitProof.parameters.find(({ name }) => name === "Idempotency-Key")?.schema;
  assert.ok(documented);
  const unit = fc.constantFrom('"', "\\", " ", "a", "~", "!", "[", "]", "é", "\t", ",");
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit, maxLength: 12 }), fc.string()), (text) => {
      for (const header of [text, `"${text}"`]) {
        fc.pre(header === header.trim());
        assert.equal(documented.safeParse(header).success, parseIdempotencyKey(header) !== undefined, header);
      }
    }),
  );
});
