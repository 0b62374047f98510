import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { addressKey } from "./address-limit.ts";
import { createRateLimit, rateHeaders } from "./rate-limit.ts";

test("never more than the burst and what the time gave, for any sequence", () => {
  const step = fc.record({ waitMs: fc.integer({ min: 0, max: 5_000 }), wanted: fc.integer({ min: 1, max: 20 }) });
  const rate = fc.record({ perWindow: fc.integer({ min: 1, max: 600 }), burst: fc.integer({ min: 1, max: 50 }) });
  fc.assert(
    fc.property(rate, fc.array(step, { maxLength: 60 }), (limits, steps) => {
      let nowMs = 0;
      let taken = 0;
      const limit = createRateLimit({ name: "x", windowSeconds: 60, now: () => nowMs });
      for (const { waitMs, wanted } of steps) {
        nowMs += waitMs;
        const decision = limit("key", limits, wanted);
        taken += decision.taken;
        assert.equal(decision.allowed, decision.taken === wanted);
        assert.ok(taken <= limits.burst + (nowMs * limits.perWindow) / 60_000 + 1e-6);
      }
    }),
  );
});

test("keys do not share; memory is bounded, and what is in use is not forgotten", () => {
  const limit = createRateLimit({ name: "x", windowSeconds: 60, now: () => 0, maxKeys: 3 });
  const rate = { perWindow: 60, burst: 1 };
  assert.equal(limit("a", rate).allowed, true);
  assert.equal(limit("a", rate).allowed, false);
  for (let n = 0; n < 100; n += 1) {
    assert.equal(limit(`other ${n}`, rate).allowed, true);
    assert.equal(limit("a", rate).allowed, false);
  }
});

test("a retry after the time told succeeds", () => {
  let nowMs = 0;
  const limit = createRateLimit({ name: "x", windowSeconds: 3_600, now: () => nowMs });
  const rate = { perWindow: 5, burst: 1 };
  limit("a", rate);
  const { retryAfterSeconds = 0 } = limit("a", rate).headers;
  assert.equal(retryAfterSeconds, 720);
  nowMs = retryAfterSeconds * 1_000;
  assert.equal(limit("a", rate).allowed, true);
});

test("several limits share the fields of an answer; the longest wait is told", () => {
  const fields = rateHeaders([
    { policy: '"a";q=1;w=60', state: '"a";r=0;t=5', retryAfterSeconds: 5 },
    { policy: '"b";q=9;w=86400', state: '"b";r=0;t=70', retryAfterSeconds: 70 },
    {},
  ]);
  assert.deepEqual(fields, {
    "ratelimit-policy": '"a";q=1;w=60, "b";q=9;w=86400',
    ratelimit: '"a";r=0;t=5, "b";r=0;t=70',
    "retry-after": "70",
  });
  assert.deepEqual(rateHeaders([]), {});
});

test("an address is an IPv4 one, or the first 64 bits of an IPv6 one", () => {
  for (const [ip, key] of [
    ["192.0.2.1", "192.0.2.1"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["::1", "0:0:0:0::/64"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:DB8:1:2::9", "2001:db8:1:2::/64"],
    ["2001:0db8:0001:0002::9", "2001:db8:1:2::/64"],
    ["2001:db8::9", "2001:db8:0:0::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ] as const) {
    assert.equal(addressKey(ip), key, ip);
  }
});
