/** A search for logs in a range of committed blocks. */
import type { Address, Hash } from "@cairn/primitives";

/** Which logs; heights are both included. */
export interface LogQuery {
  readonly fromBlock: bigint;
  readonly toBlock: bigint;
  /** Empty: any. */
  readonly addresses: readonly Address[];
  /** Per position the alternatives; empty: any. */
  readonly topics: readonly (readonly Hash[])[];
  readonly maxResults: number;
}

/** `json` is an array of log objects in their order. */
export type LogsOutcome =
  | { readonly ok: true; readonly json: string }
  | { readonly ok: false; readonly code: "too-many-results" }
  /** The search took longer than 10 seconds and was given up. */
  | { readonly ok: false; readonly code: "timeout" };
