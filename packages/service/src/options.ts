/** What `startService` is configured with; parsed by the caller, taken as given here. */
import type { Log } from "@cairn/aggregator";

/** Which Bitcoin network anchors, and how it is reached. */
export type BitcoinOptions =
  /** A regtest node inside this process; made under `home` and kept across restarts. */
  | { readonly kind: "embedded"; readonly host: string; readonly port: number; readonly blockIntervalMs: number }
  /** Another node. `funding`: the confirmed coin of the anchor wallet that the chain of anchors starts from. */
  | {
      readonly kind: "rpc";
      readonly network: "mainnet" | "testnet4" | "signet" | "regtest";
      /** With credentials. */
      readonly url: string;
      readonly funding?: { readonly txid: string; readonly vout: number };
    };

/** Paces and bounds an operator chooses; the rest has the sandbox's defaults. */
export interface ServicePolicy {
  readonly batchIntervalMs: number;
  readonly batchSlots: number;
  readonly anchorPeriodMs: number;
  readonly finalDepth: number;
}

/** Options of the proof service. */
export interface ServiceOptions {
  /** The service keeps its files in `service/` and `bitcoin/` below. */
  readonly home: string;
  readonly environment: "sandbox";
  readonly listen: { readonly host: string; readonly port: number };
  readonly nodeRpcUrl: string;
  readonly consensusRpcUrl: string;
  /** 32 bytes: signs settlements. */
  readonly settlerKey: Uint8Array;
  readonly bitcoin: BitcoinOptions;
  /** 32 bytes: signs anchors. */
  readonly anchorKey: Uint8Array;
  readonly policy: ServicePolicy;
  /** The sandbox's bearer token: a key of its one account, `cairn_sbx_<id>_<secret>` with every scope. */
  readonly token: string;
  /** 0: not limited. Default 1,200 with a burst of 300. */
  readonly submissionsPerMinute?: number;
  /** Default 358587. */
  readonly evmChainId?: bigint;
  /** Answered by `GET /status`. */
  readonly version?: string;
  readonly log: Log;
}
