/**
 * Keys of requests that last (long polls, event streams): a key that is revoked, suspended or expires meanwhile ends
 * them. Owns one timer while something is followed; asks the file only when another process has changed it or an expiry
 * has passed.
 */

import type { Accounts } from "./accounts.ts";
import type { Caller } from "./caller.ts";
import { endOfKey } from "./keys.ts";

/** A followed key. */
export interface FollowedKey {
  /** Aborts once the key is let in no more. */
  readonly signal: AbortSignal;
  /** Follows no longer. */
  close(): void;
}

/** Follows keys. */
export interface KeyWatch {
  follow(caller: Caller): FollowedKey;
  close(): void;
}

/** Makes a watch that looks every `intervalMs`. */
export function createKeyWatch(o: {
  readonly accounts: Accounts;
  readonly now: () => number;
  readonly intervalMs: number;
}): KeyWatch {
  const followed = new Map<string, Set<AbortController>>();
  let timer: NodeJS.Timeout | undefined;
  let seen = 0;
  let nextExpiryMs = 0;

  const look = (): void => {
    const changes = o.accounts.foreignChanges();
    if (changes === seen && o.now() < nextExpiryMs) return;
    seen = changes;
    nextExpiryMs = Number.POSITIVE_INFINITY;
    for (const [id, controllers] of followed) {
      const expiryMs = liveUntil(o.accounts, id, o.now());
      if (expiryMs === undefined) for (const controller of controllers) controller.abort();
      else nextExpiryMs = Math.min(nextExpiryMs, expiryMs);
    }
  };
  const tick = (): void => {
    try {
      look();
    } catch {
      // A file that cannot be read now is read at the next tick; requests ask it themselves.
      nextExpiryMs = 0;
    }
  };
  const unfollow = (id: string, controller: AbortController): void => {
    const controllers = followed.get(id);
    controllers?.delete(controller);
    if (controllers?.size === 0) followed.delete(id);
    if (followed.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
  return {
    follow: ({ keyId }) => {
      const controller = new AbortController();
      const controllers = followed.get(keyId) ?? new Set();
      followed.set(keyId, controllers.add(controller));
      // The key was let in a moment ago; whatever happened since is seen by the first look.
      nextExpiryMs = 0;
      timer ??= setInterval(tick, o.intervalMs).unref();
      return { signal: controller.signal, close: () => unfollow(keyId, controller) };
    },
    close: () => {
      clearInterval(timer);
      timer = undefined;
      followed.clear();
    },
  };
}

/** When the key ends by itself; undefined when it has ended. */
function liveUntil(accounts: Accounts, id: string, nowMs: number): number | undefined {
  const key = accounts.findKey(id);
  if (key === undefined || endOfKey(key, nowMs) !== undefined) return undefined;
  if (accounts.find(key.account)?.suspended !== false) return undefined;
  return key.expiresAtMs ?? Number.POSITIVE_INFINITY;
}
