/** Several messages, each on what the ones before left: simulated blocks and bundles. */
import type { AccessListOutcome, CallPlace } from "./call.ts";
import type { BlockOverrides, Message, StateOverrides } from "./message.ts";

/** One block of a simulation. */
export interface SimulateBlock {
  readonly stateOverrides?: StateOverrides;
  readonly blockOverrides?: BlockOverrides;
  readonly calls: readonly Message[];
}

/** Blocks of calls on top of a block; the gas cap is that of all calls together. */
export interface SimulateRequest extends Omit<CallPlace, "stateOverrides" | "blockOverrides"> {
  readonly blocks: readonly SimulateBlock[];
  readonly traceTransfers: boolean;
  readonly validation: boolean;
  readonly fullTransactions: boolean;
}

/** `json` is the array of simulated blocks; `rpcCode` and `reason` are geth's. */
export type SimulateOutcome =
  | { readonly ok: true; readonly json: string }
  | { readonly ok: false; readonly code: "failed"; readonly rpcCode: number; readonly reason: string }
  | { readonly ok: false; readonly code: "unknown-block" };

/** Messages that see one block. */
export interface CallBundle {
  readonly blockOverrides?: BlockOverrides;
  readonly calls: readonly Message[];
}

/** Bundles one after the other, each message on the state the ones before left. */
export interface CallManyRequest extends Omit<CallPlace, "blockOverrides"> {
  readonly bundles: readonly CallBundle[];
  /** How many transactions of the block run before; absent: all. */
  readonly transactions?: number;
}

/** `json` is an array per bundle of `value` or `error` per message; `refused` in geth's words. */
export type CallManyOutcome = AccessListOutcome;
