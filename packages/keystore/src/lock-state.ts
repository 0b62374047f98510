/**
 * Lock state of one key store account (specification: chain-node, Account lock state).
 *
 *   locked   --unlocked(ok)-->         unlocked   until = now + duration; a duration of 0 means until the node exits
 *   unlocked --unlocked(ok)-->         unlocked   the later order counts: extends or shortens, as in geth;
 *                                                 but an indefinite unlock is not shortened
 *   unlocked --locked-->               locked     key wiped by the caller
 *   unlocked --tick, now >= until-->   locked     key wiped by the caller
 */

/** `untilMs` of `Infinity`: until the node exits. */
export type LockState = { readonly kind: "locked" } | { readonly kind: "unlocked"; readonly untilMs: number };

/** What happens to an account. `unlocked`: a right passphrase was given; 0 means without end. */
export type LockEvent =
  | { readonly type: "unlocked"; readonly durationMs: number }
  | { readonly type: "locked" }
  | { readonly type: "tick" };

/** The state every account starts in. */
export const LOCKED: LockState = { kind: "locked" };

/** The state after an event at a time of the caller's clock. */
export function lockStep(state: LockState, event: LockEvent, nowMs: number): LockState {
  switch (event.type) {
    case "unlocked": {
      const isEndless = state.kind === "unlocked" && state.untilMs === Number.POSITIVE_INFINITY;
      if (isEndless) return state;
      return {
        kind: "unlocked",
        untilMs: event.durationMs === 0 ? Number.POSITIVE_INFINITY : nowMs + event.durationMs,
      };
    }
    case "locked":
      return LOCKED;
    case "tick":
      return state.kind === "unlocked" && nowMs >= state.untilMs ? LOCKED : state;
  }
}
