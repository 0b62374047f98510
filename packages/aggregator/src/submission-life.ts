/**
 * Life of a submission (proof-service: life of a submission). Pure; the store moves rows by this table.
 *
 *   received --verified-->           verified
 *   received --refused-->            rejected
 *   rejected --resubmitted-->        received   (only after a code that a later try can change)
 *   verified --batched-->            batched
 *   batched  --settled-->            settled
 *   batched  --excluded-->           rejected   (`excluded-in-consensus`: an alarm)
 *   batched  --original-excluded-->  verified   (a duplicate whose original was excluded is queued again)
 *   settled  --anchored-->           anchored
 *   anchored --reorged-->            settled    (a Bitcoin reorg)
 *   anchored --finalized-->          final
 *   final    --orphaned-->           settled    (a Bitcoin reorg deeper than the final depth: an alarm)
 *
 * A Bitcoin reorg is the only thing that leads from `settled` or later back.
 */

/** States in the order of a successful life; `rejected` is terminal, save for `resubmitted`. */
export const SUBMISSION_STATES = [
  "received",
  "verified",
  "batched",
  "settled",
  "anchored",
  "final",
  "rejected",
] as const;
/** State of a submission. */
export type SubmissionState = (typeof SUBMISSION_STATES)[number];

/** What can happen to a submission. */
export type SubmissionEvent =
  | "verified"
  | "refused"
  | "resubmitted"
  | "batched"
  | "settled"
  | "excluded"
  | "original-excluded"
  | "anchored"
  | "reorged"
  | "finalized"
  | "orphaned";

const EDGES: Readonly<Record<SubmissionEvent, readonly [from: SubmissionState, to: SubmissionState]>> = {
  verified: ["received", "verified"],
  refused: ["received", "rejected"],
  resubmitted: ["rejected", "received"],
  batched: ["verified", "batched"],
  settled: ["batched", "settled"],
  excluded: ["batched", "rejected"],
  "original-excluded": ["batched", "verified"],
  anchored: ["settled", "anchored"],
  reorged: ["anchored", "settled"],
  finalized: ["anchored", "final"],
  orphaned: ["final", "settled"],
};

/** The state after an event; undefined when the event does not apply in this state (it was applied before). */
export function submissionStep(state: SubmissionState, event: SubmissionEvent): SubmissionState | undefined {
  const [from, to] = EDGES[event];
  return state === from ? to : undefined;
}

/** The one state an event starts from and the one it leads to: what a bulk move of rows needs. */
export function submissionEdge(event: SubmissionEvent): {
  readonly from: SubmissionState;
  readonly to: SubmissionState;
} {
  const [from, to] = EDGES[event];
  return { from, to };
}

/** States passed from `verified` (excluded) to `state` (included): what a late duplicate catches up on. */
export function statesAfterVerified(state: SubmissionState): readonly SubmissionState[] {
  const first = SUBMISSION_STATES.indexOf("batched");
  const last = SUBMISSION_STATES.indexOf(state);
  return state === "rejected" ? [] : SUBMISSION_STATES.slice(first, last + 1);
}

/** May the same content be tried again after this rejection? (docs/formats.md, Identifiers) */
export function isRetryable(errorCode: string): boolean {
  return errorCode === "unknown-vk" || errorCode === "unrecognised-format" || errorCode.startsWith("unsupported-");
}
