import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { LOCKED, type LockEvent, type LockState, lockStep } from "./lock-state.ts";
import { CALM, guardDelayMs, guardStep } from "./passphrase-guard.ts";
import { createSessions } from "./sessions.ts";
import { createManualClock } from "./testing/manual-clock.ts";

const FOREVER: LockState = { kind: "unlocked", untilMs: Number.POSITIVE_INFINITY };
const until = (untilMs: number): LockState => ({ kind: "unlocked", untilMs });
const unlocked = (durationMs: number): LockEvent => ({ type: "unlocked", durationMs });
const A = `0x${"aa".repeat(20)}` as const;
const B = `0x${"bb".repeat(20)}` as const;
const key = (byte: number) => new Uint8Array(32).fill(byte);

describe("lock state", () => {
  const table: readonly (readonly [LockState, LockEvent, number, LockState])[] = [
    [LOCKED, unlocked(300), 1000, until(1300)],
    [LOCKED, unlocked(0), 1000, FOREVER],
    [until(1300), unlocked(50), 1000, until(1050)],
    [until(1300), unlocked(900), 1000, until(1900)],
    [until(1300), unlocked(0), 1000, FOREVER],
    [FOREVER, unlocked(300), 1000, FOREVER],
    [FOREVER, { type: "locked" }, 1000, LOCKED],
    [until(1300), { type: "locked" }, 1000, LOCKED],
    [LOCKED, { type: "locked" }, 1000, LOCKED],
    [until(1300), { type: "tick" }, 1299, until(1300)],
    [until(1300), { type: "tick" }, 1300, LOCKED],
    [FOREVER, { type: "tick" }, 1e15, FOREVER],
    [LOCKED, { type: "tick" }, 1000, LOCKED],
  ];
  for (const [state, event, nowMs, next] of table) {
    it(`${JSON.stringify(state)} on ${JSON.stringify(event)} at ${nowMs}`, () => {
      assert.deepEqual(lockStep(state, event, nowMs), next);
    });
  }
});

describe("sessions", () => {
  it("hold keys for their time and wipe them", () => {
    const clock = createManualClock();
    const sessions = createSessions(clock);
    const [a, b] = [key(1), key(2)];
    sessions.unlock(A, a, 1000);
    sessions.unlock(B, b, 0);
    clock.pass(999);
    assert.equal(sessions.key(A), a);
    clock.pass(1);
    assert.equal(sessions.key(A), undefined);
    assert.deepEqual(a, key(0));
    assert.equal(sessions.key(B), b);
    assert.equal(clock.timers, 0);
    sessions.lock(B);
    assert.deepEqual(b, key(0));
    assert.equal(sessions.key(B), undefined);
  });

  it("do not answer after the end even when the timer is late, and wipe a key that is replaced", () => {
    const clock = createManualClock();
    const late = { ...clock, after: () => () => {} };
    const sessions = createSessions(late);
    const [first, second] = [key(1), key(2)];
    sessions.unlock(A, first, 1000);
    sessions.unlock(A, second, 2000);
    assert.deepEqual(first, key(0));
    assert.equal(sessions.key(A), second);
    clock.pass(2000);
    assert.equal(sessions.key(A), undefined);
    assert.deepEqual(second, key(0));
  });

  it("outlast the longest timer", () => {
    const clock = createManualClock();
    const sessions = createSessions(clock);
    const yearMs = 365 * 86_400_000;
    sessions.unlock(A, key(1), yearMs);
    clock.pass(yearMs - 1);
    assert.notEqual(sessions.key(A), undefined);
    clock.pass(1);
    assert.equal(sessions.key(A), undefined);
  });

  it("are wiped on close", () => {
    const clock = createManualClock();
    const sessions = createSessions(clock);
    const [a, b] = [key(1), key(2)];
    sessions.unlock(A, a, 0);
    sessions.unlock(B, b, 5000);
    sessions.close();
    assert.deepEqual([a, b], [key(0), key(0)]);
    assert.equal(clock.timers, 0);
  });
});

describe("passphrase guard", () => {
  it("lets three tries go, then doubles the wait up to five minutes", () => {
    let state = CALM;
    const delays: number[] = [];
    for (let i = 0; i < 14; i++) {
      state = guardStep(state, "wrong", 0);
      delays.push(guardDelayMs(state, 0) / 1000);
    }
    assert.deepEqual(delays, [0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]);
    assert.equal(guardDelayMs(guardStep(state, "right", 0), 0), 0);
  });

  it("never allows more than a bounded number of tries in a time", () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 10_000 }), { maxLength: 200 });
    fc.assert(
      fc.property(gaps, (waits) => {
        let [state, nowMs, tries] = [CALM, 0, 0];
        for (const wait of waits) {
          nowMs += wait;
          if (guardDelayMs(state, nowMs) > 0) continue;
          tries += 1;
          state = guardStep(state, "wrong", nowMs);
        }
        assert.ok(tries <= 4 + Math.log2(1 + nowMs / 1000) + nowMs / 300_000);
      }),
    );
  });
});
