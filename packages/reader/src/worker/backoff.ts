/**
 * Waiting after errors, per entry.
 *
 *   calm     --failed-->     waiting 1 s
 *   waiting  --failed-->     waiting twice as long, at most 60 s
 *   waiting  --succeeded-->  calm
 *
 * The wait is drawn between half and the whole of the step, so that entries do not return in step.
 */
export interface Backoff {
  readonly failures: number;
}

/** No failure to wait for. */
export const CALM: Backoff = { failures: 0 };

const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;

/** The state after another failure. */
export function failed(state: Backoff): Backoff {
  return { failures: state.failures + 1 };
}

/** How long to wait now, in ms; `random` in [0, 1). */
export function waitMs(state: Backoff, random: number): number {
  if (state.failures === 0) return 0;
  const step = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(state.failures - 1, 16));
  return Math.round(step / 2 + (step / 2) * random);
}
