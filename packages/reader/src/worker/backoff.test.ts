import assert from "node:assert/strict";
import { test } from "node:test";
import { CALM, failed, waitMs } from "./backoff.ts";

test("the wait doubles from one second to a minute and starts anew after a success", () => {
  let state = CALM;
  const waits: number[] = [];
  for (let i = 0; i < 9; i += 1) {
    state = failed(state);
    waits.push(waitMs(state, 1));
  }
  assert.deepEqual(waits, [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000]);
  assert.equal(waitMs(CALM, 1), 0);
});

test("jitter keeps the wait between half and the whole step", () => {
  assert.equal(waitMs({ failures: 3 }, 0), 2000);
  assert.ok(waitMs({ failures: 1_000_000 }, 0.999) <= 60_000);
});
