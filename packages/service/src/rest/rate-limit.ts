/**
 * Submissions per key as a token bucket: so many per minute on average, a burst at once. Answers with the fields of
 * draft-ietf-httpapi-ratelimit-headers.
 */

/** What remains after an attempt. */
export interface RateDecision {
  /** All that was wanted was taken. */
  readonly allowed: boolean;
  /** How many were taken: as many as there are, at most what was wanted. */
  readonly taken: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** Takes from a key's bucket; one when not said otherwise. */
export type RateLimit = (key: string, wanted?: number) => RateDecision;

const MINUTE_MS = 60_000;
const MAX_KEYS = 100_000;

/** Makes buckets that refill with time; `perMinute` 0 lets everything pass and adds no header. */
export function createRateLimit(o: {
  readonly perMinute: number;
  readonly burst: number;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}): RateLimit {
  if (o.perMinute === 0) return (_key, wanted = 1) => ({ allowed: true, taken: wanted, headers: {} });
  const buckets = new Map<string, { tokens: number; atMs: number }>();
  const perMs = o.perMinute / MINUTE_MS;
  const policy = `"submissions";q=${o.perMinute};w=60`;
  return (key, wanted = 1) => {
    const nowMs = o.now();
    const bucket = buckets.get(key) ?? { tokens: o.burst, atMs: nowMs };
    if (buckets.size >= MAX_KEYS) buckets.clear();
    buckets.set(key, bucket);
    bucket.tokens = Math.min(o.burst, bucket.tokens + (nowMs - bucket.atMs) * perMs);
    bucket.atMs = nowMs;
    const taken = Math.min(wanted, Math.floor(bucket.tokens));
    const allowed = taken === wanted;
    bucket.tokens -= taken;
    const remaining = Math.floor(bucket.tokens);
    const nextSeconds = Math.ceil((1 - (bucket.tokens - remaining)) / perMs / 1_000);
    const headers = {
      "ratelimit-policy": policy,
      ratelimit: `"submissions";r=${remaining};t=${nextSeconds}`,
      ...(allowed ? {} : { "retry-after": String(Math.max(1, nextSeconds)) }),
    };
    return { allowed, taken, headers };
  };
}
