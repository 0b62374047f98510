/**
 * Token buckets: so many in a window on average, a burst at once. Answers with the fields of
 * draft-ietf-httpapi-ratelimit-headers. Bursts are held in memory only: what must survive a restart is a quota.
 */

/** What a bucket refills to. */
export interface Rate {
  /** 0: not limited. */
  readonly perWindow: number;
  readonly burst: number;
}

/** What remains after an attempt. */
export interface RateDecision {
  /** All that was wanted was taken. */
  readonly allowed: boolean;
  /** How many were taken: as many as there are, at most what was wanted. */
  readonly taken: number;
  /** Empty where nothing is limited. */
  readonly headers: RateHeaders;
}

/** Fields of an answer. `policy` and `state` are lists that other limits join. */
export interface RateHeaders {
  readonly policy?: string;
  readonly state?: string;
  readonly retryAfterSeconds?: number;
}

/** Takes from the bucket of a key at this rate; one when not said otherwise. */
export type RateLimit = (key: string, rate: Rate, wanted?: number) => RateDecision;

const MAX_KEYS = 100_000;

/** Makes buckets that refill with time, the longest unused forgotten first; a rate of 0 lets everything pass. */
export function createRateLimit(o: {
  /** Names the policy in the answer's fields. */
  readonly name: string;
  readonly windowSeconds: number;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  readonly maxKeys?: number;
}): RateLimit {
  const buckets = new Map<string, { tokens: number; atMs: number }>();
  const { name, windowSeconds, maxKeys = MAX_KEYS } = o;
  return (key, { perWindow, burst }, wanted = 1) => {
    if (perWindow === 0) return { allowed: true, taken: wanted, headers: {} };
    const perMs = perWindow / windowSeconds / 1_000;
    const nowMs = o.now();
    const bucket = buckets.get(key) ?? { tokens: burst, atMs: nowMs };
    // Set again, so that the map's order is that of use.
    buckets.delete(key);
    const [oldest] = buckets.size >= maxKeys ? buckets.keys() : [];
    if (oldest !== undefined) buckets.delete(oldest);
    buckets.set(key, bucket);
    bucket.tokens = Math.min(burst, bucket.tokens + (nowMs - bucket.atMs) * perMs);
    bucket.atMs = nowMs;
    const taken = Math.min(wanted, Math.floor(bucket.tokens));
    const allowed = taken === wanted;
    bucket.tokens -= taken;
    const remaining = Math.floor(bucket.tokens);
    const nextSeconds = Math.max(1, Math.ceil((1 - (bucket.tokens - remaining)) / perMs / 1_000));
    const headers = {
      policy: `"${name}";q=${perWindow};w=${windowSeconds}`,
      state: `"${name}";r=${remaining};t=${nextSeconds}`,
      ...(allowed ? {} : { retryAfterSeconds: nextSeconds }),
    };
    return { allowed, taken, headers };
  };
}

/** The fields of several limits as headers of one answer. */
export function rateHeaders(limits: readonly RateHeaders[]): Readonly<Record<string, string>> {
  const policies = limits.flatMap(({ policy }) => policy ?? []);
  const states = limits.flatMap(({ state }) => state ?? []);
  const waits = limits.flatMap(({ retryAfterSeconds }) => retryAfterSeconds ?? []);
  return {
    ...(policies.length === 0 ? {} : { "ratelimit-policy": policies.join(", "), ratelimit: states.join(", ") }),
    ...(waits.length === 0 ? {} : { "retry-after": String(Math.max(...waits)) }),
  };
}
