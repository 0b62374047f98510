/**
 * Submissions per key as a token bucket: so many per minute on average, a burst at once. Answers with the fields of
 * draft-ietf-httpapi-ratelimit-headers.
 */

import type { RateLimits } from "../accounts/account.ts";

/** What remains after an attempt. */
export interface RateDecision {
  /** All that was wanted was taken. */
  readonly allowed: boolean;
  /** How many were taken: as many as there are, at most what was wanted. */
  readonly taken: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** Takes from the bucket of a key with these limits; one when not said otherwise. */
export type RateLimit = (key: string, limits: RateLimits, wanted?: number) => RateDecision;

const MINUTE_MS = 60_000;
const MAX_KEYS = 100_000;

/** Makes buckets that refill with time; limits of 0 a minute let everything pass and add no header. */
export function createRateLimit(o: {
  /** Monotonic milliseconds. */
  readonly now: () => number;
}): RateLimit {
  const buckets = new Map<string, { tokens: number; atMs: number }>();
  return (key, { perMinute, burst }, wanted = 1) => {
    if (perMinute === 0) return { allowed: true, taken: wanted, headers: {} };
    const perMs = perMinute / MINUTE_MS;
    const nowMs = o.now();
    const bucket = buckets.get(key) ?? { tokens: burst, atMs: nowMs };
    if (buckets.size >= MAX_KEYS) buckets.clear();
    buckets.set(key, bucket);
    bucket.tokens = Math.min(burst, bucket.tokens + (nowMs - bucket.atMs) * perMs);
    bucket.atMs = nowMs;
    const taken = Math.min(wanted, Math.floor(bucket.tokens));
    const allowed = taken === wanted;
    bucket.tokens -= taken;
    const remaining = Math.floor(bucket.tokens);
    const nextSeconds = Math.ceil((1 - (bucket.tokens - remaining)) / perMs / 1_000);
    const headers = {
      "ratelimit-policy": `"submissions";q=${perMinute};w=60`,
      ratelimit: `"submissions";r=${remaining};t=${nextSeconds}`,
      ...(allowed ? {} : { "retry-after": String(Math.max(1, nextSeconds)) }),
    };
    return { allowed, taken, headers };
  };
}
