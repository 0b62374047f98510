import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createLane } from "./read-lanes.ts";

const BUSY = { code: -32005 };

function gates(count: number) {
  return Array.from({ length: count }, () => Promise.withResolvers<void>());
}

describe("a lane", () => {
  it("runs a bounded amount at once, in order", async () => {
    const lane = createLane({ width: 2, maxWaiting: 10, maxWaitMs: 1_000 });
    const open = gates(4);
    const started: number[] = [];
    const done = open.map(({ promise }, index) =>
      lane(async () => {
        started.push(index);
        await promise;
        return index;
      }),
    );
    assert.deepEqual(started, [0, 1]);
    open[1]?.resolve();
    assert.equal(await done[1], 1);
    assert.deepEqual(started, [0, 1, 2]);
    for (const gate of open) gate.resolve();
    assert.deepEqual(await Promise.all(done), [0, 1, 2, 3]);
  });

  it("goes on after work that fails", async () => {
    const lane = createLane({ width: 1, maxWaiting: 10, maxWaitMs: 1_000 });
    const failing = lane(() => Promise.reject(new Error("broken")));
    const following = lane(async () => "fine");
    await assert.rejects(failing, /broken/);
    assert.equal(await following, "fine");
  });

  it("refuses what waits in too long a line or for too long", async () => {
    let nowMs = 0;
    const lane = createLane({ width: 1, maxWaiting: 1, maxWaitMs: 1_000 }, () => nowMs);
    const [gate] = gates(1);
    const first = lane(async () => gate?.promise);
    const late = lane(async () => "late");
    await assert.rejects(
      lane(async () => "too many"),
      BUSY,
    );
    nowMs = 1_001;
    gate?.resolve();
    await first;
    await assert.rejects(late, BUSY);
    assert.equal(await lane(async () => "again"), "again");
  });
});
