/** A chain the reader follows: one element of `block_fetch_params`, validated. */

/** When a block is taken: at once, N blocks deep, or when the chain's own tag has passed it. */
export type Finality =
  | { readonly kind: "instant" }
  | { readonly kind: "depth"; readonly confirmations: number }
  | { readonly kind: "tag"; readonly tag: "finalized" | "safe" };

/** Kinds of ingestion this version runs (specification: proof-service, "Chain fetch entry"). */
export interface RpcEntry {
  readonly kind: "rpc";
  /** Lower-case `[a-z0-9-]+`, unique among rpc entries; names the cursor file. */
  readonly name: string;
  /** The id of the chain behind the URL, compared with `eth_chainId` at start. */
  readonly chainId: number;
  /** First the entry's own URL, then further ones to fail over to. */
  readonly endpoints: readonly string[];
  readonly method: "eth_getBlockByNumber";
  /** Sent as a header on every call; never logged. */
  readonly auth: { readonly header: string; readonly value: string } | undefined;
  readonly finality: Finality;
  readonly pollMs: number;
  readonly start: "head" | bigint;
  /** Each Nth block is submitted; all are followed. */
  readonly every: number;
  readonly requestPauseMs: number;
  /** Chain id to submit under. */
  readonly submitAs: string;
}

/** A field of the configuration that cannot be used; nothing has started. */
export class ReaderConfigError extends Error {
  /** Where: `block_fetch_params[2].chain id`, `service_url`, … */
  readonly field: string;

  constructor(field: string, expected: string) {
    super(`${field}: ${expected}`);
    this.name = "ReaderConfigError";
    this.field = field;
  }
}
