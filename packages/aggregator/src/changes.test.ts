import assert from "node:assert/strict";
import { test } from "node:test";
import { createChanges } from "./changes.ts";

test("a notice reaches everyone who waits, and nobody twice", async () => {
  const changes = createChanges();
  const waiting = [changes.next(10_000), changes.next(10_000)];
  changes.notify();
  assert.deepEqual(await Promise.all(waiting), [true, true]);
  assert.equal(await changes.next(1), false);
});

test("a notice between a reading and the waiting is not missed", async () => {
  const changes = createChanges();
  const before = changes.count();
  changes.notify();
  assert.equal(await changes.next(10_000, undefined, before), true);
  assert.equal(await changes.next(1, undefined, changes.count()), false);
});

test("whoever waits is let go by the end, an abort or a closed board", async () => {
  const changes = createChanges();
  const aborting = new AbortController();
  const aborted = changes.next(10_000, aborting.signal);
  aborting.abort();
  assert.equal(await aborted, false);
  const waiting = changes.next(10_000);
  changes.close();
  assert.equal(await waiting, false);
  assert.equal(await changes.next(10_000, undefined, -1), false);
});
