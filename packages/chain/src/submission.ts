/**
 * Owns the outcome of handing a transaction to the node: the words every admission answer is made of. Not the texts a
 * client sees (the JSON-RPC side maps codes to geth's texts) and not the rules (see `txpool/`).
 */
import type { AdmitCode } from "@cairn/native";
import type { Hash } from "@cairn/primitives";

/** The pool took the transaction; `replaced` is the pooled one whose place it took. */
export interface Accepted {
  readonly ok: true;
  readonly hash: Hash;
  readonly replaced?: Hash;
}

/** Refused whatever the pool holds: bytes, signature, chain id, gas. `have` and `want` as in `@cairn/native`. */
export interface Inadmissible {
  readonly ok: false;
  readonly code: AdmitCode;
  readonly have?: bigint;
  readonly want?: bigint;
}

/**
 * Refused by the pool's rules (geth's legacy pool).
 *
 * - `already-known`: the same hash is pooled.
 * - `nonce-too-low`: `next` is the sender's nonce at head, `got` the transaction's.
 * - `insufficient-funds`: `balanceWei` at head against `costWei` of this transaction plus `pooledWei`, the cost of the
 *   sender's other pooled transactions (0 when the transaction alone is too dear); `overshotWei` is what is missing.
 * - `below-minimum`: the tip is under the node's minimum price.
 * - `replacement-underpriced`: fee cap and tip must both exceed the pooled ones by a tenth.
 * - `underpriced`: the pool is full and this is not dearer than its cheapest.
 * - `pool-full`: the pool is full and making room would cost too many executable transactions.
 * - `future-replaces-pending`: the pool is full and a transaction that cannot run yet may not evict one that can.
 * - `in-flight-limit`: a delegated account, or one that a pooled authorization names, has an executable one already.
 * - `delegated-gap`: such an account's transaction must have its next nonce.
 * - `authority-reserved`: an authorization is by an account with more than one pooled transaction.
 */
export type PoolRefusal =
  | { readonly ok: false; readonly code: "already-known"; readonly hash: Hash }
  | { readonly ok: false; readonly code: "nonce-too-low"; readonly next: bigint; readonly got: bigint }
  | {
      readonly ok: false;
      readonly code: "insufficient-funds";
      readonly balanceWei: bigint;
      readonly costWei: bigint;
      readonly pooledWei: bigint;
      readonly overshotWei: bigint;
    }
  | { readonly ok: false; readonly code: "below-minimum"; readonly minimumWei: bigint; readonly gotWei: bigint }
  | { readonly ok: false; readonly code: "replacement-underpriced"; readonly pooled: Hash }
  | { readonly ok: false; readonly code: "underpriced" }
  | { readonly ok: false; readonly code: "pool-full" }
  | { readonly ok: false; readonly code: "future-replaces-pending" }
  | { readonly ok: false; readonly code: "in-flight-limit" | "delegated-gap" | "authority-reserved" };

/** The node is closing: nothing was pooled. */
export interface SubmissionClosed {
  readonly ok: false;
  readonly code: "closed";
}

/** Answer to one submitted transaction. */
export type SubmitOutcome = Accepted | Inadmissible | PoolRefusal | SubmissionClosed;
