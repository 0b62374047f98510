/**
 * Daily quotas: how many more submissions an account may hand in on this UTC day. What is stored counts, and what is
 * under way; the count of the day comes from the store at the start, so that a restart gives nothing back. Owns no rate.
 */

/** What is left of a day. */
export interface QuotaState {
  readonly remaining: number;
  readonly secondsLeft: number;
}

/** Counts submissions of accounts. */
export interface Quotas {
  /** Reserves up to so many for a request under way; answers how many. `perDay` 0: not limited. */
  reserve(account: string, perDay: number, wanted: number): number;
  /** The request is over. */
  release(account: string, reserved: number): void;
  /** So many were stored. */
  stored(account: string, count: number): void;
  state(account: string, perDay: number): QuotaState;
}

const DAY_MS = 86_400_000;

/** Makes the counters; `today` holds what the store has of the day of `now`. One entry an account. */
export function createQuotas(o: { readonly today: ReadonlyMap<string, number>; readonly now: () => number }): Quotas {
  let stored = new Map(o.today);
  let day = Math.floor(o.now() / DAY_MS);
  const underWay = new Map<string, number>();
  const count = (counts: ReadonlyMap<string, number>, account: string): number => counts.get(account) ?? 0;
  const turn = (): void => {
    const now = Math.floor(o.now() / DAY_MS);
    if (now <= day) return;
    day = now;
    stored = new Map();
  };
  const left = (account: string, perDay: number): number => {
    turn();
    return perDay === 0
      ? Number.MAX_SAFE_INTEGER
      : Math.max(0, perDay - count(stored, account) - count(underWay, account));
  };
  return {
    reserve: (account, perDay, wanted) => {
      const reserved = Math.min(wanted, left(account, perDay));
      underWay.set(account, count(underWay, account) + reserved);
      return reserved;
    },
    release: (account, reserved) => {
      const rest = count(underWay, account) - reserved;
      if (rest > 0) underWay.set(account, rest);
      else underWay.delete(account);
    },
    stored: (account, added) => {
      turn();
      stored.set(account, count(stored, account) + added);
    },
    state: (account, perDay) => ({
      remaining: left(account, perDay),
      secondsLeft: Math.ceil(((day + 1) * DAY_MS - o.now()) / 1_000),
    }),
  };
}
