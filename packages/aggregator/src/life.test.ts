import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anchorObserved, anchorStep } from "./anchor-life.ts";
import { attemptStep, isLive } from "./settlement-life.ts";
import {
  isRetryable,
  SUBMISSION_STATES,
  type SubmissionEvent,
  statesAfterVerified,
  submissionStep,
} from "./submission-life.ts";

const EVENTS: readonly SubmissionEvent[] = [
  "verified",
  "refused",
  "resubmitted",
  "batched",
  "settled",
  "excluded",
  "original-excluded",
  "anchored",
  "reorged",
  "finalized",
  "orphaned",
];

test("a submission goes from received to final", () => {
  const events: SubmissionEvent[] = ["verified", "batched", "settled", "anchored", "finalized"];
  let state = submissionStep("received", "verified");
  for (const event of events.slice(1)) state = state && submissionStep(state, event);
  assert.equal(state, "final");
});

test("an event applies at most once in a row; only a Bitcoin reorg beyond the final depth leaves final", () => {
  fc.assert(
    fc.property(fc.constantFrom(...SUBMISSION_STATES), fc.constantFrom(...EVENTS), (state, event) => {
      const next = submissionStep(state, event);
      if (next !== undefined) assert.equal(submissionStep(next, event), undefined);
      if (state === "final") assert.equal(next, event === "orphaned" ? "settled" : undefined);
    }),
  );
});

test("from settled on, the only way back is a Bitcoin reorg", () => {
  const rank = (state: (typeof SUBMISSION_STATES)[number]) => SUBMISSION_STATES.indexOf(state);
  for (const state of ["settled", "anchored", "final"] as const) {
    for (const event of EVENTS) {
      const next = submissionStep(state, event);
      if (next !== undefined && rank(next) < rank(state)) assert.ok(event === "reorged" || event === "orphaned");
    }
  }
});

test("a late duplicate passes the states its original passed", () => {
  assert.deepEqual(statesAfterVerified("verified"), []);
  assert.deepEqual(statesAfterVerified("anchored"), ["batched", "settled", "anchored"]);
});

test("only some rejections may be tried again", () => {
  for (const code of ["unknown-vk", "unrecognised-format", "unsupported-system"]) assert.ok(isRetryable(code));
  for (const code of ["invalid-proof", "malformed", "excluded-in-consensus"]) assert.ok(!isRetryable(code));
});

test("an anchor follows what the chain shows", () => {
  const unmined = { tip: 9, minedHeight: undefined };
  const at8 = { tip: 9, minedHeight: 8 };
  assert.equal(anchorObserved("broadcast", { ...unmined, height: undefined }, 3), undefined);
  assert.equal(anchorObserved("intent", { ...unmined, height: 9 }, 3), "mined");
  assert.equal(anchorObserved("mined", { ...at8, height: 8 }, 3), undefined);
  assert.equal(anchorObserved("mined", { height: 7, tip: 9, minedHeight: 7 }, 3), "buried");
  assert.equal(anchorObserved("mined", { ...at8, height: undefined }, 3), "reorged");
  assert.equal(anchorStep("mined", "reorged"), "broadcast");
});

test("an unconfirmed anchor whose input something else spent goes once that is buried", () => {
  const taken = { height: 8, tip: 9, minedHeight: undefined, isTaken: true };
  assert.equal(anchorObserved("broadcast", taken, 3), undefined);
  assert.equal(anchorObserved("intent", { ...taken, tip: 10 }, 3), "displaced");
  assert.equal(anchorStep("broadcast", "displaced"), "gone");
  assert.equal(anchorStep("mined", "displaced"), undefined);
});

test("a final anchor is lost to another block at its height, not to a node that lost its newest blocks", () => {
  assert.equal(anchorObserved("final", { height: 8, tip: 99, minedHeight: 8 }, 3), undefined);
  assert.equal(anchorObserved("final", { height: undefined, tip: 99, minedHeight: 8 }, 3), "orphaned");
  assert.equal(anchorObserved("final", { height: undefined, tip: 8, minedHeight: 8 }, 3), "orphaned");
  assert.equal(anchorObserved("final", { height: undefined, tip: 7, minedHeight: 8 }, 3), undefined);
  assert.equal(anchorStep("final", "orphaned"), "broadcast");
  assert.equal(anchorStep("final", "reorged"), undefined);
});

test("a settlement attempt that ended is not live and does not come back", () => {
  for (const end of ["included", "reverted", "displaced"] as const) {
    assert.ok(!isLive(end));
    for (const event of ["accepted", "included", "reverted", "displaced"] as const) {
      assert.equal(attemptStep(end, event), undefined);
    }
  }
  assert.equal(attemptStep("signed", "included"), "included");
});
