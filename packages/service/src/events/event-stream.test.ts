import assert from "node:assert/strict";
import { test } from "node:test";
import type { SubmissionEventRecord } from "@cairn/aggregator";
import { createPlaces } from "../rest/places.ts";
import { hashOf } from "../testing/hash.ts";
import type { EventFeed } from "./event-feed.ts";
import { type EventSink, runEventStream } from "./event-stream.ts";

function event(seq: number): SubmissionEventRecord {
  const names = { chainId: "x", chainKey: "x", blockNumber: undefined, externalId: undefined };
  const submission = { seq, id: hashOf(`${seq}`), account: "a", ...names, error: undefined, duplicateOf: undefined };
  return { seq, state: "received", atMs: seq, submission };
}

/** A feed that has all its events from the start. */
function feedOf(count: number): EventFeed {
  return {
    head: () => count,
    read: async ({ after, limit }) => {
      const events = Array.from({ length: Math.min(limit, count - after) }, (_, n) => event(after + n + 1));
      return { events, to: after + events.length };
    },
    next: () => Promise.resolve(),
    close: async () => {},
  };
}

const base = {
  account: "a",
  after: 0,
  matches: () => true,
  render: (of: SubmissionEventRecord) => ({ type: "t", json: `${of.seq}` }),
  isAllowed: () => true,
  heartbeatMs: 1_000,
};

test("a caller that takes nothing is cut before anything piles up", async () => {
  const written: string[] = [];
  const waits: number[] = [];
  const sink: EventSink = {
    closed: new AbortController().signal,
    write: (text) => {
      written.push(text);
      return written.length < 3;
    },
    drained: async (timeoutMs) => {
      waits.push(timeoutMs);
      return false;
    },
  };
  assert.equal(await runEventStream({ ...base, feed: feedOf(100_000), sink }), "too-slow");
  assert.equal(written.length, 3, "nothing after the first refusal");
  assert.deepEqual(waits, [10_000]);
});

test("a stream ends with its key, before anything more is sent", async () => {
  const written: string[] = [];
  let asked = 0;
  const sink: EventSink = {
    closed: new AbortController().signal,
    write: (text) => written.push(text) > 0,
    drained: async () => true,
  };
  const isAllowed = () => {
    asked += 1;
    return asked < 3;
  };
  assert.equal(await runEventStream({ ...base, feed: feedOf(1_000), sink, isAllowed }), "not-allowed");
  assert.equal(written.join("").match(/^data: /gm)?.length, 400);
});

test("places are bounded by key and in all, and given back once", () => {
  const places = createPlaces({ perKey: 2, inAll: 3 });
  const [first, second] = [places.take("a"), places.take("a")];
  assert.deepEqual(places.take("a"), { ok: false, full: "key" });
  assert.ok(first.ok && second.ok && places.take("b").ok);
  assert.deepEqual(places.take("c"), { ok: false, full: "all" });
  first.leave();
  first.leave();
  assert.equal(places.open(), 2);
  assert.ok(places.take("c").ok);
  assert.deepEqual(places.take("d"), { ok: false, full: "all" });
});
