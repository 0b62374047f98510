/**
 * Life of one settlement attempt: one signed transaction of one batch. Pure. A batch has one live attempt at a time;
 * a further one is signed only when the one before can never be included, so that nothing settles twice (ProofHub's
 * numbering guarantees it once more).
 *
 *   signed --accepted-->  sent       (the pool took it, or knew it)
 *   signed --included-->  included   (accepted before a crash, found later)
 *   sent   --included-->  included   (its BatchSettled log is in a committed block)
 *   signed, sent --reverted-->  reverted   (included without effect: number out of turn, out of gas)
 *   signed, sent --displaced--> displaced  (another transaction used its nonce)
 */

/** State of an attempt. */
export type AttemptState = "signed" | "sent" | "included" | "reverted" | "displaced";
/** What can happen to an attempt. */
export type AttemptEvent = "accepted" | "included" | "reverted" | "displaced";

const TABLE: Readonly<Record<AttemptState, Partial<Readonly<Record<AttemptEvent, AttemptState>>>>> = {
  signed: { accepted: "sent", included: "included", reverted: "reverted", displaced: "displaced" },
  sent: { included: "included", reverted: "reverted", displaced: "displaced" },
  included: {},
  reverted: {},
  displaced: {},
};

/** The state after an event; undefined when the event does not apply in this state. */
export function attemptStep(state: AttemptState, event: AttemptEvent): AttemptState | undefined {
  return TABLE[state][event];
}

/** May this attempt still be included? */
export function isLive(state: AttemptState): boolean {
  return state === "signed" || state === "sent";
}
