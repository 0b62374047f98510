import assert from "node:assert/strict";
import { test } from "node:test";
import { createTimeSlices } from "./time-slices.ts";

/** A clock that each step moves on. */
function stepping() {
  let nowMs = 0;
  const done: string[] = [];
  function* work(name: string, steps: number): Generator<void> {
    for (let step = 0; step < steps; step++) {
      nowMs += 1;
      done.push(`${name}${step}`);
      yield;
    }
  }
  return { clock: () => nowMs, done, work };
}

const turn = () => new Promise<void>(setImmediate);

test("short work is done at once, long work in slices, in the order it came", async () => {
  const { clock, done, work } = stepping();
  const slices = createTimeSlices(4, clock);
  assert.ok(slices.add(() => work("a", 3)));
  assert.deepEqual(done, ["a0", "a1", "a2"]);
  assert.ok(slices.add(() => work("b", 12)));
  assert.equal(done.length, 3 + 5, "one slice at once");
  assert.ok(slices.add(() => work("c", 1)));
  assert.equal(done.length, 8);
  while (done.length < 16) await turn();
  assert.equal(done.at(-1), "c0");
  assert.equal(done.at(-2), "b11");
});

test("too many waiting are refused; a job that fails ends alone", async () => {
  const { clock, done, work } = stepping();
  const slices = createTimeSlices(2, clock);
  assert.ok(slices.add(() => Promise.reject(new Error("the database closed"))));
  assert.ok(slices.add(() => work("a", 1)));
  assert.ok(!slices.add(() => work("b", 1)));
  while (done.length < 1) await turn();
  for (let i = 0; i < 5; i++) await turn();
  assert.ok(slices.add(() => work("c", 1)));
  assert.deepEqual(done, ["a0", "c0"]);
});
