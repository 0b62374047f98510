/** What `startService` is configured with; parsed by the caller, taken as given here. */
import type { AggregatorPolicy, Log, PricePlans } from "@cairn/aggregator";
import type { AlarmPolicy } from "./alarms/alarm-rules.ts";
import type { AnchorFees } from "./ports/anchor-port.ts";
import type { AddressRates } from "./rest/address-limit.ts";
import type { DeliveryPolicy } from "./webhooks/endpoint-life.ts";

/** Bitcoin networks that an anchor can be on. */
export type NetworkName = "mainnet" | "testnet4" | "signet" | "regtest";

/** Which Bitcoin network anchors, and how it is reached. */
export type BitcoinOptions =
  /** A regtest node inside this process; made under `home` and kept across restarts. */
  | { readonly kind: "embedded"; readonly host: string; readonly port: number; readonly blockIntervalMs: number }
  /** Another node. */
  | {
      readonly kind: "rpc";
      readonly network: NetworkName;
      /** With credentials. The first is used, the others check it. */
      readonly urls: readonly string[];
      /** Confirmed coins of the anchor wallet, for nodes that cannot search for them. */
      readonly funding?: readonly { readonly txid: string; readonly vout: number }[];
      /** A regtest proves nothing; a production service takes it only with this. */
      readonly acceptRegtest?: boolean;
    };

/** A signer of anchors that holds the key elsewhere. */
export interface ExternalSigner {
  /** Compressed, 33 bytes. */
  readonly publicKey: Uint8Array;
  /** What gets the PSBT. */
  readonly via:
    | { readonly kind: "command"; readonly command: readonly string[] }
    | { readonly kind: "http"; readonly url: string };
}

/** Paces and bounds an operator chooses; the rest has the sandbox's defaults. */
export type ServicePolicy = Partial<AggregatorPolicy> &
  Pick<AggregatorPolicy, "batchIntervalMs" | "batchSlots" | "anchorPeriodMs" | "finalDepth">;

/** Options of the proof service. */
export interface ServiceOptions {
  /** The service keeps its files in `service/` and `bitcoin/` below. */
  readonly home: string;
  /** Production refuses every default of a sandbox (`environment/production-rules.ts`). */
  readonly environment: "sandbox" | "production";
  readonly listen: {
    readonly host: string;
    readonly port: number;
    /** A proxy in front ends TLS. */
    readonly behindTlsProxy?: boolean;
    /** Where clients reach the service; default: the listener's address. */
    readonly publicUrl?: string;
  };
  readonly nodeRpcUrl: string;
  readonly consensusRpcUrl: string;
  /** 32 bytes: signs settlements. */
  readonly settlerKey: Uint8Array;
  readonly bitcoin: BitcoinOptions;
  /** 32 bytes: signs anchors; absent with `externalSigner`. */
  readonly anchorKey?: Uint8Array;
  /** Signs anchors by PSBT instead of `anchorKey`. */
  readonly externalSigner?: ExternalSigner;
  /** What anchors may cost. */
  readonly fees?: AnchorFees;
  /** When an operator is told. */
  readonly alarms?: Partial<AlarmPolicy>;
  readonly policy: ServicePolicy;
  /** Default `mock`. */
  readonly payment?: "vault" | "none" | "mock";
  /** Price plans by name, beside and in place of `standard`. */
  readonly pricePlans?: PricePlans;
  /** The sandbox's bearer token: a key of its one account, `cairn_sbx_<id>_<secret>` with every scope. */
  readonly token?: string;
  /** A second key of the sandbox's account for the reader in the same process: no rate limits it. */
  readonly readerToken?: string;
  /** 0: not limited. Default 1,200. */
  readonly submissionsPerMinute?: number;
  /** Default 300. */
  readonly submissionsBurst?: number;
  /** An event stream with nothing to tell says so this often; default 15,000. */
  readonly eventHeartbeatMs?: number;
  /** What an address may do without a key; each has its default. */
  readonly addressRates?: Partial<AddressRates>;
  /** Paces of webhooks; default: ten attempts over three days. */
  readonly deliveryPolicy?: Partial<DeliveryPolicy>;
  /** Checks the databases' structure at the start; default false. */
  readonly integrityCheck?: boolean;
  /** Default 358587. */
  readonly evmChainId?: bigint;
  /** Answered by `GET /status`. */
  readonly version?: string;
  readonly log: Log;
}
