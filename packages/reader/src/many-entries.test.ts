/** A list of hundreds of entries over one host: bounded calls, no entry forgotten, the others' endpoints not held up. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { READER_LIMITS } from "./call-limits.ts";
import { readerScene } from "./testing/reader-scene.ts";
import { until } from "./testing/until.ts";

const MANY = 300;

test("every entry reads; no more calls at once than the limit; status and metrics answer meanwhile", async (t) => {
  const s = await readerScene(t);
  const other = await s.another();
  const [kind, , id, , ...rest] = s.entry();
  const entries = Array.from({ length: MANY }, (_, i) => {
    const record = s.entry({ submit: `chain-${i}`, poll_ms: 60_000 });
    return [kind, `chain-${i}`, ...record.slice(2)];
  });
  const last = [kind, "last", id, other.url, ...rest.slice(0, -1), { poll_ms: 50, start: 0, submit: "last" }];
  const reader = await s.start("BOTH", [...entries, last]);
  const has = (chain: string) => [...s.door.taken.values()].some((taken) => taken.chain_id === chain);
  await until("the last one, on another host", () => has("last"), 60_000);
  assert.equal((await fetch(`${reader.url}/metrics`)).status, 200);
  await until("all of them", () => s.door.taken.size === MANY + 1, 120_000);
  assert.ok(s.chain.busiest() <= READER_LIMITS.perHost, `${s.chain.busiest()} calls at once`);
  assert.equal(reader.status().filter(({ errors }) => errors > 0).length, 0);
});
