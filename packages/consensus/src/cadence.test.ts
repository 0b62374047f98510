import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { createCadence, nextStart } from "./cadence.ts";

describe("cadence", () => {
  it("starts an interval after the last start, or now when that has passed", () => {
    assert.equal(nextStart(1_000, 500, 1_100), 1_500);
    assert.equal(nextStart(1_000, 500, 1_700), 1_700);
  });

  it("makes no burst up for a delay", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 5_000 }), { minLength: 2 }), (durations) => {
        let now = 0;
        let last = nextStart(-1_000, 1_000, now);
        for (const duration of durations) {
          now = Math.max(now, last) + duration;
          const start = nextStart(last, 1_000, now);
          assert.ok(start - last >= 1_000 && start >= now);
          assert.ok(start === now || start === last + 1_000);
          last = start;
        }
      }),
    );
  });

  it("starts at once first, then waits until woken or stopped", async () => {
    const cadence = createCadence(60_000);
    await cadence.next();
    const woken = cadence.next();
    cadence.wake();
    await woken;
    const stopped = cadence.next();
    cadence.stop();
    await stopped;
    await cadence.next();
  });
});
