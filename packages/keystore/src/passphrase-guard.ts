/**
 * How wrong passphrases for one account slow the next tries down, so that nobody guesses through a running node.
 *
 *   calm            --wrong, fewer than 3 in a row-->  calm
 *   calm | waiting  --wrong, 3rd and later-->          waiting   until = now + 1 s, doubled each time, at most 5 min
 *   waiting         --now >= until-->                  a try counts again
 *   any             --right-->                         calm, nothing remembered
 *
 * A try while waiting is refused before any work is done.
 */

/** Wrong tries in a row, and when the next one counts. */
export interface GuardState {
  readonly wrong: number;
  readonly untilMs: number;
}

/** Nothing remembered. */
export const CALM: GuardState = { wrong: 0, untilMs: Number.NEGATIVE_INFINITY };

const FREE_TRIES = 3;
const FIRST_DELAY_MS = 1000;
const MAX_DELAY_MS = 300_000;

/** The state after a try that was carried out at `nowMs`. */
export function guardStep(state: GuardState, outcome: "right" | "wrong", nowMs: number): GuardState {
  if (outcome === "right") return CALM;
  const wrong = state.wrong + 1;
  if (wrong < FREE_TRIES) return { wrong, untilMs: nowMs };
  const delayMs = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(wrong - FREE_TRIES, 30));
  return { wrong, untilMs: nowMs + delayMs };
}

/** Milliseconds until a try counts; 0: now. */
export function guardDelayMs(state: GuardState, nowMs: number): number {
  return Math.max(0, state.untilMs - nowMs);
}
