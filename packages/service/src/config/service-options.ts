/** From a configuration and opened keys to what `startService` takes. Reads the file of price plans. */

import type { Log, PricePlans } from "@cairn/aggregator";
import { ConfigError, type ConfigFaults, configFaults } from "@cairn/api";
import type { KnownOptions } from "../environment/production-rules.ts";
import type { BitcoinOptions, ExternalSigner, NetworkName, ServiceOptions, ServicePolicy } from "../options.ts";
import type { AnchorFees } from "../ports/anchor-port.ts";
import { readPricePlans } from "./price-plans.ts";
import type { ServiceConfig } from "./schema.ts";

/** Keys of a service, 32 bytes each. */
export interface ServiceKeys {
  readonly settlerKey: Uint8Array;
  /** Absent where an external signer holds it. */
  readonly anchorKey?: Uint8Array;
}

/** Confirmations at which an anchor is final where the configuration says 0. */
const FINAL_DEPTHS: Readonly<Record<NetworkName, number>> = { mainnet: 6, testnet4: 12, signet: 12, regtest: 3 };

const EMBEDDED_INTERVAL_MS = 1_000;

/** What is known of a service before its configuration is read any further. */
export interface ServiceFacts {
  readonly home: string;
  readonly config: ServiceConfig;
  readonly token?: string;
  readonly version: string;
  readonly log: Log;
}

/** The options of a configuration. Throws `ConfigError` with everything that does not fit together. */
export function serviceOptions(o: ServiceFacts & { readonly keys: ServiceKeys }): ServiceOptions {
  const faults = configFaults();
  const known = knownOptions(o, faults);
  faults.refuse();
  const { bitcoin } = known;
  if (bitcoin === undefined) throw new RangeError("no fault, and no Bitcoin options");
  return { ...known, bitcoin, ...o.keys };
}

/** The options that a configuration gives, without keys; what it does not give is among the faults. */
export function knownOptions(o: ServiceFacts, faults: ConfigFaults): KnownOptions {
  const { config, token } = o;
  const publicUrl = config["listen.public-url"];
  const bitcoin = faults.attempt(() => bitcoinOptions(config));
  const pricePlans = faults.attempt(() => pricePlansOf(o));
  return {
    home: o.home,
    environment: config.environment,
    listen: {
      ...config["listen.address"],
      behindTlsProxy: config["listen.behind-tls-proxy"],
      ...(publicUrl === "" ? {} : { publicUrl: publicUrl.replace(/\/+$/, "") }),
    },
    nodeRpcUrl: config["chain.node-rpc"],
    consensusRpcUrl: config["chain.consensus-rpc"],
    ...faults.attempt(() => externalSigner(config)),
    fees: anchorFees(config),
    alarms: { chainStalledMs: config["chain.stalled-after"], tipAgeMs: config["bitcoin.tip-age"] },
    ...(bitcoin === undefined ? {} : { bitcoin }),
    policy: servicePolicy(config),
    payment: config["payment.mode"],
    ...(pricePlans === undefined ? {} : { pricePlans }),
    ...(token === undefined ? {} : { token }),
    submissionsPerMinute: config["limits.submissions-per-minute"],
    submissionsBurst: config["limits.submissions-burst"],
    addressRates: { publicReads: readRate(config["limits.reads-per-minute"]) },
    integrityCheck: config["store.integrity-check"],
    evmChainId: BigInt(config["chain.evm-chain-id"]),
    version: o.version,
    log: o.log,
  };
}

function pricePlansOf({ home, config }: ServiceFacts): PricePlans | undefined {
  const file = config["payment.price-plans"];
  return file === "" ? undefined : readPricePlans(home, file);
}

function anchorFees(config: ServiceConfig): AnchorFees {
  return {
    targetBlocks: config["fee.target-blocks"],
    fallbackRate: config["fee.fallback"],
    capRate: config["fee.cap"],
    capSat: config["fee.cap-sat"],
    runway: config["fee.runway"],
  };
}

function servicePolicy(config: ServiceConfig): ServicePolicy {
  return {
    batchSlots: config["batch.slots"],
    batchIntervalMs: config["batch.interval"],
    batchBytes: config["batch.bytes"],
    maxReceived: config["limits.waiting"],
    anchorPeriodMs: config["anchor.period"],
    bumpBlocks: config["fee.bump-blocks"],
    finalDepth: finalDepth(config),
  };
}

/** Confirmations at which an anchor is final under a configuration. */
export function finalDepth(config: ServiceConfig): number {
  const network = config["bitcoin.network"];
  return config["anchor.final-depth"] || FINAL_DEPTHS[network === "embedded" ? "regtest" : network];
}

function externalSigner(config: ServiceConfig): { readonly externalSigner?: ExternalSigner } {
  if (config["anchor.signer"] === "key-file") return {};
  const need = (key: "anchor.public-key" | "anchor.signer-command" | "anchor.signer-url"): string => {
    if (config[key] !== "") return config[key];
    throw new ConfigError("invalid-value", key, `anchor.signer is ${config["anchor.signer"]}, which needs it`);
  };
  const publicKey = Uint8Array.from(Buffer.from(need("anchor.public-key"), "hex"));
  if (config["anchor.signer"] === "psbt-http") {
    return { externalSigner: { publicKey, via: { kind: "http", url: need("anchor.signer-url") } } };
  }
  const command = need("anchor.signer-command")
    .split(/ +/)
    .filter((word) => word !== "");
  return { externalSigner: { publicKey, via: { kind: "command", command } } };
}

/** Which Bitcoin a configuration names. Throws `ConfigError`. */
export function bitcoinOptions(config: ServiceConfig): BitcoinOptions {
  const network = config["bitcoin.network"];
  if (network === "embedded") {
    const port = config["bitcoin.embedded-port"];
    return { kind: "embedded", host: "127.0.0.1", port, blockIntervalMs: EMBEDDED_INTERVAL_MS };
  }
  const urls = config["bitcoin.rpc-urls"];
  if (urls.length === 0) throw new ConfigError("invalid-value", "bitcoin.rpc-urls", `${network} needs a node's URL`);
  const acceptRegtest = config["bitcoin.accept-regtest"];
  return { kind: "rpc", network, urls, funding: config["bitcoin.funding"].map(outpoint), acceptRegtest };
}

function outpoint(text: string): { readonly txid: string; readonly vout: number } {
  const [, txid, vout] = /^([0-9a-f]{64}):(\d{1,9})$/.exec(text) ?? [];
  if (txid === undefined) throw new ConfigError("invalid-value", "bitcoin.funding", "expected txid:index");
  return { txid, vout: Number(vout) };
}

/** Half of a minute's reads may come at once: a page with its parts. */
function readRate(perWindow: number): { readonly perWindow: number; readonly burst: number } {
  return { perWindow, burst: Math.ceil(perWindow / 2) };
}
