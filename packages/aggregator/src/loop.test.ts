import assert from "node:assert/strict";
import { test } from "node:test";
import { startLoop } from "./loop.ts";
import { until } from "./testing/temporary.ts";

const quiet = () => {};
const LOG = { debug: quiet, info: quiet, warn: quiet, error: quiet };

test("a wake cuts a rest short, but not the least rest", async () => {
  const at: number[] = [];
  const step = async () => {
    at.push(performance.now());
    return at.length === 1 ? { restMs: 60_000 } : { restMs: 60_000, atLeastMs: 60 };
  };
  const loop = startLoop({ name: "test", log: LOG, step });
  await until("the first step", async () => at.length === 1);
  loop.wake();
  await until("the second step", async () => at.length === 2);
  loop.wake();
  await until("the third step", async () => at.length === 3);
  assert.ok((at[2] ?? 0) - (at[1] ?? 0) >= 55);
  await loop.close();
  assert.equal(at.length, 3);
});

test("a failing step is tried again, told, and forgotten when it succeeds", async () => {
  let steps = 0;
  const failures: unknown[] = [];
  const loop = startLoop({
    name: "test",
    log: LOG,
    onFailure: (error) => failures.push(error),
    step: async () => {
      steps += 1;
      if (steps === 1) throw new Error("not yet");
      return { restMs: 60_000 };
    },
  });
  await until("it fails", async () => loop.failing() === "not yet");
  await until("it recovers", async () => loop.failing() === undefined);
  assert.equal(failures.length, 1);
  await loop.close();
});

test("close waits for the step in progress and ends a rest", async () => {
  let finish: () => void = quiet;
  let finished = false;
  const loop = startLoop({
    name: "test",
    log: LOG,
    step: async () => {
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      finished = true;
      return { restMs: 60_000 };
    },
  });
  const closed = loop.close();
  finish();
  await closed;
  assert.ok(finished);
});
