import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createQuotas } from "./quotas.ts";

const DAY_MS = 86_400_000;

test("what the store has of the day counts; the next day begins anew", () => {
  let nowMs = 10 * DAY_MS + 5_000;
  const quotas = createQuotas({ today: new Map([["a", 7]]), now: () => nowMs });
  assert.deepEqual(quotas.state("a", 10), { remaining: 3, secondsLeft: 86_395 });
  assert.equal(quotas.reserve("a", 10, 5), 3);
  assert.equal(quotas.reserve("a", 10, 1), 0);
  assert.equal(quotas.reserve("b", 10, 1), 1, "another account has its own");
  quotas.stored("a", 2);
  quotas.release("a", 3);
  assert.equal(quotas.state("a", 10).remaining, 1);
  nowMs += DAY_MS;
  assert.equal(quotas.state("a", 10).remaining, 10);
  assert.equal(quotas.reserve("a", 0, 1_000_000), 1_000_000, "0 is no limit");
});

test("no interleaving of requests stores more than the quota", () => {
  const step = fc.record({ wanted: fc.integer({ min: 1, max: 5 }), share: fc.double({ min: 0, max: 1, noNaN: true }) });
  const perDay = 20;
  fc.assert(
    fc.property(fc.array(fc.oneof(step, fc.constant("finish" as const)), { maxLength: 80 }), (steps) => {
      const quotas = createQuotas({ today: new Map(), now: () => 0 });
      const open: { reserved: number; stores: number }[] = [];
      let total = 0;
      for (const next of steps) {
        if (next !== "finish") {
          const reserved = quotas.reserve("a", perDay, next.wanted);
          open.push({ reserved, stores: Math.floor(reserved * next.share) });
          continue;
        }
        const done = open.shift();
        if (done === undefined) continue;
        quotas.stored("a", done.stores);
        quotas.release("a", done.reserved);
        total += done.stores;
      }
      assert.ok(total <= perDay);
      for (const { reserved } of open) quotas.release("a", reserved);
      assert.equal(quotas.state("a", perDay).remaining, perDay - total);
    }),
  );
});
