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
import { readPassphrase } from "../passphrase.ts";

/** Where the service's home is unless a flag says so. */
export const SERVICE_HOME = process.env.CAIRN_HOME ?? `${process.env.HOME ?? "."}/.cairn`;

/** Flags with shorter names, as the sandbox has them too. */
const SHORT_FLAGS: readonly (readonly [short: string, key: string, doc: string])[] = [
  ["bitcoin", "bitcoin.network", "mainnet, testnet4, signet, regtest or embedded"],
  ["bitcoin-rpc", "bitcoin.rpc-urls", "RPC of Bitcoin nodes (http://user:password@host:port), separated by commas"],
];

/** Adds `--home`, the short names and `--<section>.<key> <value>` for every setting. */
export function addServiceFlags(command: Command): Command {
  command.option("--home <dir>", "directory of the service", SERVICE_HOME);
  for (const [short, key, doc] of SHORT_FLAGS) command.option(`--${short} <value>`, `${doc} (as --${key})`);
  for (const { flag, form, doc, default: value } of serviceFlags()) {
    const option = command.createOption(`${flag} <value>`, `${doc} (${form}; default ${value})`);
    command.addOption(option.helpGroup("Settings (also in config/service.toml):"));
  }
  return command;
}

/** The settings that were given, by key, as text. */
export function givenServiceFlags(options: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const given: Record<string, string> = {};
  const take = (flag: string, key: string): void => {
    const value = options[camelCase(flag)];
    if (typeof value === "string") given[key] = value;
  };
  for (const { flag } of serviceFlags()) take(flag.slice(2), flag.slice(2));
  for (const [short, key] of SHORT_FLAGS) take(short, key);
  return given;
}

/** Commander's name for an option: hyphens become capitals, dots stay. */
function camelCase(name: string): string {
  return name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
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
