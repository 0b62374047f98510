/** The service's settings as flags of a command, and reading a home's configuration and keys with them. */
import { resolve } from "node:path";
import {
  anchorAddress,
  loadServiceConfig,
  openServiceKey,
  type ServiceConfig,
  type ServiceKeys,
  serviceFlags,
  servicePassphrase,
} from "@cairn/service";
import type { Command } from "commander";
import { addHomeOption } from "../home-option.ts";
import { readPassphrase } from "../passphrase.ts";
import { addSettingOptions, givenOptions } from "../setting-options.ts";

/** Options with shorter names, as the sandbox has them too. */
const SHORT_NAMES: readonly (readonly [short: string, key: string, doc: string])[] = [
  ["bitcoin", "bitcoin.network", "mainnet, testnet4, signet, regtest or embedded"],
  ["bitcoin-rpc", "bitcoin.rpc-urls", "RPC of Bitcoin nodes (http://user:password@host:port), separated by commas"],
];

/** What the help of a command says that takes the settings and does not list them. */
export const SETTINGS_NOTE = "Takes the settings of `cairn service run --help` too.";

/** Adds `--home`, the short names and an option for every setting of service.toml, listed in the help or not. */
export function addServiceFlags(command: Command, { listed }: { readonly listed: boolean }): Command {
  addHomeOption(command, "service");
  for (const [short, key, doc] of SHORT_NAMES) command.option(`--${short} <value>`, `${doc} (as --${key})`);
  return addSettingOptions(command, serviceFlags(), listed ? "Settings (also in config/service.toml):" : undefined);
}

/** The settings that were given, by key, as text. */
export function givenServiceFlags(options: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const long = givenOptions(
    options,
    serviceFlags().map(({ flag }) => flag.slice(2)),
  );
  const short = SHORT_NAMES.flatMap(([name, key]) =>
    Object.values(givenOptions(options, [name])).map((value) => [key, value]),
  );
  return { ...long, ...Object.fromEntries(short) };
}

/** The configuration of a home under flags and environment. */
export function serviceConfig(home: string, flags: Readonly<Record<string, unknown>>): ServiceConfig {
  return loadServiceConfig({ home, env: process.env, flags: givenServiceFlags(flags) });
}

/** Asks for the passphrase once, however many key files it opens. */
export function passphraseOf(config: ServiceConfig, home: string, isNew = false): () => Promise<string> {
  let asked: Promise<string> | undefined;
  const source = config["keys.passphrase-file"];
  const path = source === "" || source.startsWith("fd:") ? source : resolve(home, source);
  return () => {
    asked ??= servicePassphrase({
      source: path,
      env: process.env,
      ...(process.stdin.isTTY ? { ask: () => readPassphrase({ file: undefined, isNew }) } : {}),
    });
    return asked;
  };
}

/** Opens the key files that a configuration names. */
export async function openServiceKeys(config: ServiceConfig, home: string): Promise<ServiceKeys> {
  const passphrase = passphraseOf(config, home);
  const settlerKey = await openServiceKey(resolve(home, config["settler.key-file"]), passphrase);
  if (config["anchor.signer"] !== "key-file") return { settlerKey };
  return { settlerKey, anchorKey: await openServiceKey(resolve(home, config["anchor.key-file"]), passphrase) };
}

/** The address that pays anchors on the configured network, of a secret key or an external signer's public one. */
export function anchorAddressOf(config: ServiceConfig, anchorKey: Uint8Array | undefined): string {
  const network = config["bitcoin.network"];
  const key = anchorKey ?? Buffer.from(config["anchor.public-key"], "hex");
  return anchorAddress(key, network === "embedded" ? "regtest" : network);
}
