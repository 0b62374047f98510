/**
 * Life of a webhook's endpoint and of a delivery to it. Pure; the stores write what these say.
 *
 *   endpoint:  enabled  --delivered-->               enabled   (healthy again)
 *              enabled  --failed-->                  enabled   (failing since the first of the row)
 *              enabled  --failed, for too long-->    disabled  (`failing`)
 *              enabled  --gone (410)-->              disabled  (`gone`)
 *              disabled --replayed-->                enabled
 *
 *   delivery:  pending  --delivered-->               delivered
 *              pending  --failed, tries left-->      pending   (later, with jitter)
 *              pending  --failed, none left-->       dead
 *              pending  --endpoint disabled-->       dead
 *              dead | delivered --replayed-->        pending
 */

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Paces of delivery. */
export interface DeliveryPolicy {
  /** Pauses between the attempts of a delivery; one more attempt than pauses. */
  readonly retryMs: readonly number[];
  /** An endpoint that only fails is disabled after this long. */
  readonly disableAfterMs: number;
  /** An endpoint that fails is given one attempt per pause; the pause doubles up to this. */
  readonly maxPauseMs: number;
  /** From connecting to the answer's headers. */
  readonly timeoutMs: number;
}

/** What Standard Webhooks recommends: ten attempts over three days. */
export const DELIVERY_POLICY: DeliveryPolicy = {
  retryMs: [
    5 * SECOND_MS,
    5 * MINUTE_MS,
    30 * MINUTE_MS,
    2 * HOUR_MS,
    5 * HOUR_MS,
    10 * HOUR_MS,
    14 * HOUR_MS,
    20 * HOUR_MS,
    24 * HOUR_MS,
  ],
  disableAfterMs: 3 * 24 * HOUR_MS,
  maxPauseMs: MINUTE_MS,
  timeoutMs: 15 * SECOND_MS,
};

const JITTER = 0.2;
const FIRST_PAUSE_MS = SECOND_MS;
const MAX_RETRY_AFTER_MS = 24 * HOUR_MS;

/**
 * When a delivery that failed `attempts` times is tried again; undefined: given up. `random` in [0, 1);
 * `retryAfterMs` is what the receiver asked for.
 */
export function retryDelayMs(
  policy: DeliveryPolicy,
  attempts: number,
  random: number,
  retryAfterMs = 0,
): number | undefined {
  const pause = policy.retryMs[attempts - 1];
  if (pause === undefined) return undefined;
  const jittered = pause * (1 - JITTER + 2 * JITTER * random);
  return Math.round(Math.max(jittered, Math.min(retryAfterMs, MAX_RETRY_AFTER_MS)));
}

/** How long an endpoint rests after so many failures in a row. */
export function pauseMs(policy: DeliveryPolicy, failures: number): number {
  return failures === 0 ? 0 : Math.min(policy.maxPauseMs, FIRST_PAUSE_MS * 2 ** Math.min(failures - 1, 20));
}

/** What an endpoint became by an attempt. */
export type EndpointStep =
  | { readonly state: "enabled"; readonly failingSinceMs: number | undefined }
  | { readonly state: "disabled"; readonly reason: "failing" | "gone" };

/** The endpoint after an attempt. */
export function endpointStep(
  policy: DeliveryPolicy,
  failingSinceMs: number | undefined,
  outcome: "delivered" | "failed" | "gone",
  nowMs: number,
): EndpointStep {
  if (outcome === "delivered") return { state: "enabled", failingSinceMs: undefined };
  if (outcome === "gone") return { state: "disabled", reason: "gone" };
  const since = failingSinceMs ?? nowMs;
  if (nowMs - since >= policy.disableAfterMs) return { state: "disabled", reason: "failing" };
  return { state: "enabled", failingSinceMs: since };
}
