/**
 * Life of an access request (proof-service: REST, credentials).
 *
 *   pending  --approve-->  approved   (the key waits; it is made when it is claimed, so that it is never stored)
 *   pending  --reject-->   rejected
 *   approved --claim-->    claimed    (the key is shown, once)
 *   approved --reject-->   rejected
 *   pending, approved --expiry--> expired
 */
import type { AccessState } from "@cairn/api";

/** What can happen to an access request. */
export type AccessEvent = "approve" | "reject" | "claim";

const EDGES: Readonly<Record<AccessEvent, Partial<Record<AccessState, AccessState>>>> = {
  approve: { pending: "approved" },
  reject: { pending: "rejected", approved: "rejected" },
  claim: { approved: "claimed" },
};

/** The state after an event; undefined when it cannot happen in this one. */
export function accessStep(state: AccessState, event: AccessEvent): AccessState | undefined {
  return EDGES[event][state];
}

/** The state at a time: what nobody decided or claimed in time has expired. */
export function accessStateAt(
  o: { readonly state: AccessState; readonly expiresAtMs: number },
  nowMs: number,
): AccessState {
  const isOpen = o.state === "pending" || o.state === "approved";
  return isOpen && o.expiresAtMs <= nowMs ? "expired" : o.state;
}
