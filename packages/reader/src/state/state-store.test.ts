import assert from "node:assert/strict";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import type { Hex } from "@cairn/primitives";
import { RING_LENGTH } from "./ring.ts";
import { StateTooNewError } from "./schema.ts";
import { openStateStore, type StateStore } from "./state-store.ts";

function place(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), "cairn-state-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

function store(t: TestContext, dir = place(t)): StateStore {
  const opened = openStateStore(dir);
  t.after(() => opened.close());
  return opened;
}

const hash = (n: number): Hex => `0x${n.toString(16).padStart(64, "0")}`;

test("a state of the first version is taken over: ring, submissions, pushes, dead letters", (t) => {
  const dir = place(t);
  const old = new DatabaseSync(join(dir, "reader.db"));
  old.exec(`CREATE TABLE ring (chain TEXT NOT NULL, height INTEGER NOT NULL, hash TEXT NOT NULL, submission_id TEXT,
      PRIMARY KEY (chain, height)) WITHOUT ROWID;
    CREATE TABLE push (id TEXT PRIMARY KEY, chain TEXT NOT NULL, height INTEGER NOT NULL, status TEXT NOT NULL,
      expires_ms INTEGER NOT NULL, submission_id TEXT, error TEXT) WITHOUT ROWID;
    CREATE TABLE dead_letter (id INTEGER PRIMARY KEY, chain TEXT NOT NULL, height INTEGER NOT NULL, hash TEXT NOT NULL,
      code TEXT NOT NULL, at_ms INTEGER NOT NULL);
    INSERT INTO ring VALUES ('dev', 7, '${hash(7)}', '0xid'), ('dev', 8, '${hash(8)}', NULL);
    INSERT INTO push VALUES ('p', 'dev', 9, 'queued', 99, NULL, NULL);
    INSERT INTO dead_letter VALUES (1, 'dev', 3, '${hash(3)}', 'refused', 5);`);
  old.close();
  const { ring, pushes, letters } = store(t, dir);
  assert.equal(ring.taken("dev", 8n)?.hash, hash(8));
  const item = { height: 7n, logIndex: -1, hash: hash(7), value: hash(7) };
  assert.equal(ring.sent("dev", item)?.submissionId, "0xid");
  assert.equal(pushes.next("dev", 9n, 1)?.id, "p");
  assert.equal(letters.open("dev"), 1);
});

test("a state of a later version is refused", (t) => {
  const dir = place(t);
  store(t, dir);
  const later = new DatabaseSync(join(dir, "reader.db"));
  later.exec("PRAGMA user_version = 99");
  later.close();
  assert.throws(() => openStateStore(dir), StateTooNewError);
});

test("the ring forgets what is older, walks down over gaps, and orphans what a fork replaced", (t) => {
  const { ring } = store(t);
  for (let n = 0; n < 600; n += 2) ring.take("dev", { height: BigInt(n), hash: hash(n) });
  assert.equal(ring.count("dev"), RING_LENGTH);
  assert.equal(ring.taken("dev", 0n), undefined);
  assert.equal(ring.lastTaken("dev", 597n)?.height, 596n);
  const old = { height: 596n, logIndex: 3, hash: hash(596), value: "root" };
  ring.addSent("dev", { ...old, submissionId: "old" });
  ring.rewind("dev", 590n);
  assert.equal(ring.lastTaken("dev", 598n)?.height, 590n);
  const moved = { height: 597n, logIndex: 0, hash: hash(1), value: "root" };
  assert.equal(ring.replaced("dev", moved)?.submissionId, "old", "the same value in another block");
  const other = { height: 596n, logIndex: 3, hash: hash(1), value: "other" };
  assert.equal(ring.replaced("dev", other)?.submissionId, "old", "another value in the same place");
  assert.equal(ring.replaced("dev", { ...other, logIndex: 4 }), undefined);
  ring.addSent("dev", { ...old, submissionId: "old" });
  assert.equal(ring.replaced("dev", moved), undefined, "what came back is replaced no longer");
});

test("pushes: the lowest that is due, above the head, after a failure, expired and renewed", (t) => {
  const { pushes } = store(t);
  for (const height of [30n, 10n, 20n]) pushes.add({ id: `p${height}`, chain: "dev", height, expiresMs: 1_000 });
  assert.equal(pushes.next("dev", 25n, 0)?.id, "p10");
  pushes.update("p10", { failedUntilMs: 500 });
  assert.equal(pushes.next("dev", 25n, 0)?.id, "p20", "one that failed holds up no other");
  assert.equal(pushes.next("dev", 25n, 500)?.attempts, 1);
  assert.equal(pushes.sweep("dev", 25n, 0), 0);
  assert.equal(pushes.get("p30")?.status, "waiting_for_head");
  pushes.update("p20", { status: "submitted", submissionId: "0xid" });
  assert.equal(pushes.sweep("dev", 25n, 1_000), 1);
  assert.deepEqual([pushes.get("p10")?.status, pushes.get("p30")?.status], ["queued", "expired"]);
  pushes.renew("p30", 9_000);
  pushes.update("p10", { status: "dead" });
  assert.equal(pushes.next("dev", 30n, 2_000)?.id, "p30");
});

test("pushes: what the chain has is never given up for time; a height that came waits for nothing", (t) => {
  const { pushes } = store(t);
  pushes.add({ id: "p", chain: "dev", height: 30n, expiresMs: 1_000 });
  pushes.sweep("dev", 25n, 0);
  assert.equal(pushes.get("p")?.status, "waiting_for_head");
  assert.equal(pushes.sweep("dev", 30n, 5_000), 0);
  assert.equal(pushes.get("p")?.status, "queued");
});

test("pushes: a clock that was set back keeps no failed push waiting; the reason goes with the failure", (t) => {
  const { pushes } = store(t);
  pushes.add({ id: "p", chain: "dev", height: 1n, expiresMs: 10_000_000 });
  pushes.update("p", { failedUntilMs: 7_230_000, error: "nobody there" });
  assert.equal(pushes.get("p")?.error, "nobody there");
  assert.equal(pushes.next("dev", 1n, 7_200_000), undefined, "it waits its time");
  assert.equal(pushes.next("dev", 1n, 3_600_000)?.id, "p", "an hour earlier the time is of another clock");
  pushes.update("p", { status: "submitted", submissionId: "0xid" });
  assert.equal(pushes.get("p")?.error, undefined);
});

test("dead letters: one per item and reason, paged, replayed, open again", (t) => {
  const { letters } = store(t);
  const letter = {
    chain: "dev",
    height: 1n,
    logIndex: -1,
    hash: hash(1),
    code: "refused",
    detail: "",
    atMs: 1,
    body: "{}",
  };
  letters.add(letter);
  letters.add({ ...letter, atMs: 2 });
  letters.add({ ...letter, code: "undecodable", body: undefined });
  assert.deepEqual(
    letters.list({ all: false, after: 0, limit: 10 }).map((one) => one.code),
    ["refused", "undecodable"],
  );
  const id = letters.list({ all: false, after: 0, limit: 1 })[0]?.id ?? 0;
  letters.replayed(id, 7, "0xid");
  assert.equal(letters.open("dev"), 1);
  assert.equal(letters.get(id)?.submissionId, "0xid");
  letters.add(letter);
  assert.equal(letters.open("dev"), 2, "it failed again");
});

test("the database belongs to its owner only", (t) => {
  const dir = place(t);
  store(t, dir);
  assert.equal(statSync(join(dir, "reader.db")).mode & 0o077, 0);
});
