/** Calls, estimates and access lists: one message on the state after a block. */
import type { ReadRef } from "./block.ts";
import type { BlockOverrides, Message, StateOverrides } from "./message.ts";

/** Where a call runs and what it may use. */
export interface CallPlace {
  readonly block: ReadRef;
  readonly stateOverrides?: StateOverrides;
  readonly blockOverrides?: BlockOverrides;
  /** Most gas; the block's gas limit when absent. */
  readonly gasCap?: bigint;
  /** Most time in milliseconds; absent or 0: no limit. */
  readonly timeoutMs?: number;
}

/** A message on the state after a block. */
export type CallRequest = Message & CallPlace;

/** How a call ended. */
export type CallOutcome =
  | { readonly ok: true; readonly data: Uint8Array; readonly gasUsed: bigint }
  /** `data` is the revert payload, possibly empty. */
  | { readonly ok: false; readonly code: "reverted"; readonly data: Uint8Array; readonly gasUsed: bigint }
  /** `reason` is geth's text for the halt ("out of gas", "invalid opcode: …", …). */
  | { readonly ok: false; readonly code: "halted"; readonly reason: string; readonly gasUsed: bigint }
  /** The call could not start or was given up; `reason` is geth's text (funds, intrinsic gas, overrides, timeout). */
  | { readonly ok: false; readonly code: "refused"; readonly reason: string }
  | { readonly ok: false; readonly code: "unknown-block" };

/** The least gas limit at which a message succeeds, or why there is none. */
export type EstimateOutcome =
  | { readonly ok: true; readonly gas: bigint }
  | { readonly ok: false; readonly code: "reverted"; readonly data: Uint8Array }
  | { readonly ok: false; readonly code: "halted" | "refused"; readonly reason: string }
  /** More gas than the sender can pay or the cap allows is needed. */
  | { readonly ok: false; readonly code: "allowance"; readonly allowance: bigint }
  | { readonly ok: false; readonly code: "unknown-block" };

/** `json` holds `accessList`, `gasUsed` and, when the call failed, `error`. */
export type AccessListOutcome =
  | { readonly ok: true; readonly json: string }
  | { readonly ok: false; readonly code: "refused"; readonly reason: string }
  | { readonly ok: false; readonly code: "unknown-block" };
