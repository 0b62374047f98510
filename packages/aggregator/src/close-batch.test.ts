import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { closeBatch, type PendingSlot } from "./close-batch.ts";

const POLICY = { batchSlots: 4, batchIntervalMs: 2_000, batchBytes: 1_000, batchGas: 10_000_000 };
const slot = (seq: number, o: Partial<PendingSlot> = {}): PendingSlot => ({
  seq,
  slotBytes: 100,
  vkHash: "key",
  keyBytes: 50,
  slotGas: 68_000,
  keyGas: 160_000,
  payer: undefined,
  verifiedAtMs: 0,
  ...o,
});

test("nothing pending: nothing to wait for", () => {
  assert.deepEqual(closeBatch([], POLICY, 0), { close: false, waitMs: undefined });
});

test("closes when full, when old, and not before", () => {
  assert.deepEqual(closeBatch([slot(1)], POLICY, 1_500), { close: false, waitMs: 500 });
  assert.deepEqual(closeBatch([slot(1)], POLICY, 2_000), { close: true, take: 1, bytes: 166 });
  assert.deepEqual(closeBatch([slot(1), slot(2), slot(3), slot(4), slot(5)], POLICY, 0), {
    close: true,
    take: 4,
    bytes: 466,
  });
});

test("a key counts once per batch, and bytes close it", () => {
  const big = { slotBytes: 400 };
  assert.deepEqual(closeBatch([slot(1, big), slot(2, big), slot(3, big)], POLICY, 0), {
    close: true,
    take: 2,
    bytes: 866,
  });
  assert.deepEqual(closeBatch([slot(1, { slotBytes: 5_000 })], POLICY, 0), { close: false, waitMs: 2_000 });
  assert.equal(closeBatch([slot(1, { slotBytes: 5_000 }), slot(2)], POLICY, 0).close, true);
});

test("gas closes it, keys included", () => {
  const dear = [slot(1, { slotGas: 5_000_000 }), slot(2, { slotGas: 5_000_000 })];
  const decision = closeBatch(dear, POLICY, 0);
  assert.deepEqual(decision.close && decision.take, 1);
  const cheap = [slot(1), slot(2), slot(3)];
  assert.equal(closeBatch(cheap, POLICY, 0).close, false);
  const otherKeys = cheap.map((item, i) => ({ ...item, vkHash: `${i}`, keyGas: 4_000_000 }));
  assert.equal(closeBatch(otherKeys, POLICY, 0).close, true);
});

test("a closed batch holds a bounded prefix", () => {
  const slots = fc.array(
    fc.record({ bytes: fc.integer({ min: 1, max: 600 }), at: fc.integer({ min: 0, max: 5_000 }) }),
    {
      maxLength: 12,
    },
  );
  fc.assert(
    fc.property(slots, (specs) => {
      const pending = specs.map((spec, i) => slot(i, { slotBytes: spec.bytes, verifiedAtMs: spec.at }));
      const decision = closeBatch(pending, POLICY, 5_000);
      if (!decision.close) return;
      assert.ok(decision.take >= 1 && decision.take <= POLICY.batchSlots);
      assert.ok(decision.take === 1 || decision.bytes <= POLICY.batchBytes);
    }),
  );
});
