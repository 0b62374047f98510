/** When keys were last used: gathered in memory, written together now and then, so that no request waits for it. */
import type { Accounts } from "./accounts.ts";
import type { Caller } from "./caller.ts";

/** Gathers uses. */
export interface KeyUses {
  seen(caller: Caller): void;
  /** Writes what is gathered; called by itself every interval and at the end. */
  flush(): void;
  close(): void;
}

/** Makes a gatherer that writes every `intervalMs`; `onFailure` hears of writes that failed, which are tried again. */
export function createKeyUses(o: {
  readonly accounts: Accounts;
  readonly now: () => number;
  readonly intervalMs: number;
  readonly onFailure: (error: unknown) => void;
}): KeyUses {
  // One entry a key: as many as an operator has issued.
  const uses = new Map<string, number>();
  const flush = (): void => {
    if (uses.size === 0) return;
    try {
      o.accounts.markKeysUsed(uses);
      uses.clear();
    } catch (error) {
      o.onFailure(error);
    }
  };
  const timer = setInterval(flush, o.intervalMs).unref();
  return {
    seen: ({ keyId }) => void uses.set(keyId, o.now()),
    flush,
    close: () => {
      clearInterval(timer);
      flush();
    },
  };
}
