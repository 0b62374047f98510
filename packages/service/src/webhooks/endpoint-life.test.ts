import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Webhook as Oracle } from "standardwebhooks";
import { DELIVERY_POLICY, endpointStep, pauseMs, retryDelayMs } from "./endpoint-life.ts";
import { newSecret, secretText, signedHeaders } from "./signature.ts";

const DAY_MS = 24 * 3_600_000;
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

test("ten attempts over three days, spread by a fifth, and no more", () => {
  fc.assert(
    fc.property(random, (r) => {
      const delays = Array.from({ length: 9 }, (_, n) => retryDelayMs(DELIVERY_POLICY, n + 1, r) ?? Number.NaN);
      for (const [n, delay] of delays.entries()) {
        const pause = DELIVERY_POLICY.retryMs[n] ?? 0;
        assert.ok(delay >= pause * 0.8 - 1 && delay <= pause * 1.2 + 1);
      }
      const total = delays.reduce((sum, delay) => sum + delay, 0);
      assert.ok(total > 2.4 * DAY_MS && total < 4 * DAY_MS);
      assert.equal(retryDelayMs(DELIVERY_POLICY, 10, r), undefined);
    }),
  );
  assert.equal(retryDelayMs(DELIVERY_POLICY, 1, 0.5, 60_000), 60_000, "what the receiver asked for");
  assert.equal(retryDelayMs(DELIVERY_POLICY, 1, 0.5, 1e12), DAY_MS, "within reason");
});

test("an endpoint fails from the first failure on, until a success, an end of patience, or 410", () => {
  const step = (since: number | undefined, outcome: "delivered" | "failed" | "gone", now: number) =>
    endpointStep(DELIVERY_POLICY, since, outcome, now);
  assert.deepEqual(step(undefined, "failed", 5), { state: "enabled", failingSinceMs: 5 });
  assert.deepEqual(step(5, "failed", 3 * DAY_MS + 4), { state: "enabled", failingSinceMs: 5 });
  assert.deepEqual(step(5, "failed", 3 * DAY_MS + 5), { state: "disabled", reason: "failing" });
  assert.deepEqual(step(5, "delivered", 9 * DAY_MS), { state: "enabled", failingSinceMs: undefined });
  assert.deepEqual(step(undefined, "gone", 5), { state: "disabled", reason: "gone" });
  assert.deepEqual(
    [0, 1, 2, 3, 7, 99].map((n) => pauseMs(DELIVERY_POLICY, n) / 1_000),
    [0, 1, 2, 4, 60, 60],
  );
});

test("signatures are what the reference library of Standard Webhooks accepts", () => {
  fc.assert(
    fc.property(fc.json(), fc.stringMatching(/^msg_[a-z0-9_]{1,40}$/), (body, id) => {
      const [old, now] = [newSecret(), newSecret()];
      const headers = { ...signedHeaders([now, old], { id, body }, Date.now()) };
      for (const secret of [old, now]) {
        assert.deepEqual(new Oracle(secretText(secret)).verify(body, headers), JSON.parse(body));
      }
      assert.throws(() => new Oracle(secretText(newSecret())).verify(body, headers));
      assert.throws(() => new Oracle(secretText(now)).verify(`${body} `, headers));
    }),
    { numRuns: 50 },
  );
});
