/** Owns the keys of unlocked accounts in memory: held while `lockStep` says unlocked, wiped as soon as it does not. */
import type { Address } from "@cairn/primitives";
import type { Clock } from "./clock.ts";
import { LOCKED, type LockEvent, type LockState, lockStep } from "./lock-state.ts";

/** Keys of unlocked accounts. */
export interface Sessions {
  /** Takes over `key`; 0 milliseconds: until the end. */
  unlock(address: Address, key: Uint8Array, durationMs: number): void;
  /** Wipes the key when there is one. */
  lock(address: Address): void;
  /** The key of an account that is unlocked now; not to be kept. */
  key(address: Address): Uint8Array | undefined;
  /** Wipes all keys. */
  close(): void;
}

interface Session {
  readonly state: LockState;
  readonly key: Uint8Array;
}

/** Longest time one timer of the runtime counts. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** No session yet. */
export function createSessions(clock: Clock): Sessions {
  const sessions = new Map<Address, Session>();
  let cancelTimer = () => {};

  const step = (address: Address, event: LockEvent, key?: Uint8Array): void => {
    const before = sessions.get(address);
    const state = lockStep(before?.state ?? LOCKED, event, clock.monotonicMs());
    const kept = key ?? before?.key;
    if (before !== undefined && (state.kind === "locked" || kept !== before.key)) before.key.fill(0);
    if (state.kind === "locked" || kept === undefined) sessions.delete(address);
    else sessions.set(address, { state, key: kept });
  };
  const tick = (): void => {
    for (const address of [...sessions.keys()]) step(address, { type: "tick" });
    schedule();
  };
  const schedule = (): void => {
    cancelTimer();
    const ends = [...sessions.values()].map(({ state }) => (state.kind === "unlocked" ? state.untilMs : 0));
    const nextMs = Math.min(Number.POSITIVE_INFINITY, ...ends);
    if (nextMs === Number.POSITIVE_INFINITY) cancelTimer = () => {};
    else cancelTimer = clock.after(Math.min(LONGEST_TIMER_MS, Math.max(0, nextMs - clock.monotonicMs())), tick);
  };
  return {
    unlock(address, key, durationMs) {
      step(address, { type: "unlocked", durationMs }, key);
      schedule();
    },
    lock(address) {
      step(address, { type: "locked" });
      schedule();
    },
    key(address) {
      // The timer may be late: what is over is over.
      step(address, { type: "tick" });
      return sessions.get(address)?.key;
    },
    close() {
      for (const address of [...sessions.keys()]) step(address, { type: "locked" });
      cancelTimer();
    },
  };
}
