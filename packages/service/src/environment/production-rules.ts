/**
 * What a production service refuses to start with: every default of a sandbox, each with its own code and sentence.
 * Owns the rules over options and home; what the chain must not hold is in `chain-rules.ts`.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "../accounts/api-key.ts";
import type { ServiceOptions } from "../options.ts";
import { isPublicKey } from "./known-keys.ts";

/** Codes of the refusals. */
export type RefusalCode =
  | "sandbox-token"
  | "sandbox-home"
  | "mock-payment"
  | "embedded-regtest"
  | "worthless-network"
  | "sandbox-bitcoin-password"
  | "known-settler-key"
  | "known-anchor-key"
  | "shared-key"
  | "open-listener"
  | "shallow-finality"
  | "sandbox-accounts-funded"
  | "no-vault"
  | "sandbox-store";

/** One reason not to start. */
export interface Refusal<Code extends string = RefusalCode> {
  readonly code: Code;
  /** The setting at fault; `--home` where the directory is. */
  readonly setting: string;
  /** One sentence that begins with the setting: what stands in the way and what the operator can do. */
  readonly message: string;
}

/** A service that does not start, with every reason there is. */
export class ProductionError extends Error {
  override readonly name = "ProductionError";
  readonly refusals: readonly Refusal<string>[];
  constructor(refusals: readonly Refusal<string>[], environment: Environment = "production") {
    const lines = refusals.map(({ code, message }) => `  ${code}: ${message}`);
    super([`a ${environment} service does not start like this:`, ...lines].join("\n"));
    this.refusals = refusals;
  }
}

/** Options as far as they are known: what cannot be read is told by itself. */
export type KnownOptions = Omit<ServiceOptions, "settlerKey" | "bitcoin"> &
  Partial<Pick<ServiceOptions, "settlerKey" | "bitcoin">>;

/** Confirmations that make an anchor final on mainnet, at least. */
export const MAINNET_FINAL_DEPTH = 6;

type Rule = readonly [code: RefusalCode, setting: string, problem: string, applies: (o: KnownOptions) => boolean];

const RULES: readonly Rule[] = [
  [
    "sandbox-token",
    "--home",
    "holds a printed sandbox token, known to everyone who saw the terminal: remove config/sandbox.token, issue API keys",
    (o) => o.token !== undefined || existsSync(join(o.home, "config/sandbox.token")),
  ],
  [
    "sandbox-home",
    "--home",
    "was made by a sandbox (sandbox.json): give the production service a home of its own",
    (o) => existsSync(join(o.home, "sandbox.json")),
  ],
  [
    "mock-payment",
    "payment.mode",
    "is mock, whose money is worth nothing: set it to vault or none",
    (o) => (o.payment ?? "mock") === "mock",
  ],
  [
    "embedded-regtest",
    "bitcoin.network",
    "is the embedded regtest: name a network and bitcoin.rpc-urls",
    (o) => o.bitcoin?.kind === "embedded",
  ],
  [
    "worthless-network",
    "bitcoin.network",
    "is regtest, whose blocks prove nothing: choose another, or set bitcoin.accept-regtest for staging",
    (o) => o.bitcoin?.kind === "rpc" && o.bitcoin.network === "regtest" && o.bitcoin.acceptRegtest !== true,
  ],
  [
    "sandbox-bitcoin-password",
    "bitcoin.rpc-urls",
    "has the sandbox's user and password (cairn:cairn): change the node's",
    (o) => o.bitcoin?.kind === "rpc" && o.bitcoin.urls.some((url) => /^https?:\/\/cairn:cairn@/.test(url)),
  ],
  [
    "known-settler-key",
    "settler.key-file",
    "holds a publicly known key: make one with cairn service keys new",
    (o) => o.settlerKey !== undefined && isPublicKey(o.settlerKey),
  ],
  [
    "known-anchor-key",
    "anchor.key-file",
    "holds a publicly known key: make one with cairn service keys new",
    (o) => o.anchorKey !== undefined && isPublicKey(o.anchorKey),
  ],
  [
    "shared-key",
    "anchor.key-file",
    "holds the same key as settler.key-file: give each its own",
    (o) => o.anchorKey !== undefined && o.settlerKey !== undefined && Buffer.from(o.anchorKey).equals(o.settlerKey),
  ],
  [
    "open-listener",
    "listen.address",
    "is reachable from other machines without TLS: listen on loopback behind a proxy, or set listen.behind-tls-proxy " +
      "when one ends TLS in front",
    (o) => !isLoopback(o.listen.host) && o.listen.behindTlsProxy !== true,
  ],
  [
    "shallow-finality",
    "anchor.final-depth",
    `is below ${MAINNET_FINAL_DEPTH}, which mainnet needs`,
    (o) => o.bitcoin?.kind === "rpc" && o.bitcoin.network === "mainnet" && o.policy.finalDepth < MAINNET_FINAL_DEPTH,
  ],
];

/** A reason as a sentence that begins with its setting. */
export function refusal<Code extends string>(code: Code, setting: string, problem: string): Refusal<Code> {
  return { code, setting, message: `${setting} ${problem}` };
}

/** Everything in options and home that a production service refuses. */
export function productionRefusals(o: KnownOptions): readonly Refusal[] {
  return RULES.filter(([, , , applies]) => applies(o)).map(([code, setting, problem]) =>
    refusal(code, setting, problem),
  );
}

/** Whether only this machine reaches a host. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}
