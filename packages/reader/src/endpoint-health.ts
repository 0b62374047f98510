/**
 * Whether an endpoint is asked first or last (a circuit breaker per endpoint).
 *
 *   well    --failed, third in a row-->  resting until now + 5 s
 *   resting --failed-->                  resting twice as long, at most 5 min
 *   any     --answered-->                well
 *
 * A resting endpoint is still asked when no other one answers.
 */
export interface EndpointHealth {
  readonly failures: number;
  readonly restingUntilMs: number;
}

/** An endpoint without failures. */
export const WELL: EndpointHealth = { failures: 0, restingUntilMs: 0 };

const TOLERATED = 3;
const FIRST_REST_MS = 5_000;
const LONGEST_REST_MS = 300_000;

/** The state after another failure. */
export function endpointFailed(state: EndpointHealth, nowMs: number): EndpointHealth {
  const failures = state.failures + 1;
  if (failures < TOLERATED) return { failures, restingUntilMs: 0 };
  const rest = Math.min(LONGEST_REST_MS, FIRST_REST_MS * 2 ** Math.min(failures - TOLERATED, 10));
  return { failures, restingUntilMs: nowMs + rest };
}

/** Whether others are asked before it. */
export function isResting(state: EndpointHealth, nowMs: number): boolean {
  return state.restingUntilMs > nowMs;
}
