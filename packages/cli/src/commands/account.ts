/** `cairn account`: the accounts in a node's key store, whether the node runs or not. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  decryptKeyFile,
  type Keystore,
  KeystoreError,
  LIGHT_COST,
  openKeystore,
  parseKeyFile,
  STANDARD_COST,
} from "@cairn/keystore";
import { nodeHome } from "@cairn/node";
import { type Address, hexToBytes, isHex, toChecksumAddress } from "@cairn/primitives";
import type { Command } from "commander";
import { CommandError, EXIT } from "../exit-code.ts";
import { addEnding } from "../help-ending.ts";
import { addHomeOption } from "../home-option.ts";
import { readPassphrase } from "../passphrase.ts";

interface AccountFlags {
  readonly home: string;
  readonly json?: boolean;
}

interface KeyFlags extends AccountFlags {
  readonly passwordFile?: string;
  readonly lightKdf?: boolean;
}

const CODES = "0 done, 1 failed, 2 wrong usage or unreadable file";

/** Adds the command to the program. */
export function addAccountCommand(program: Command): void {
  const account = program.command("account").description("accounts in a node's key store (geth's key files)");
  const add = (command: Command, example: string): Command =>
    addEnding(addHomeOption(command, "node"), { examples: [example], codes: CODES });
  const withKeyOptions = (command: Command): Command =>
    command
      .option("--password-file <file>", "first line: the password; otherwise asked for, or read from piped input")
      .option("--light-kdf", "encrypt with less work and memory")
      .option("--json", "print a JSON object");
  withKeyOptions(add(account.command("new"), "cairn account new --home ./node1"))
    .description("make an account")
    .action(makeAccount);
  const example = "cairn account import ./key.hex --home ./node1 --password-file ./password";
  withKeyOptions(add(account.command("import <file>"), example))
    .description("add the key of a file: 32 bytes of hex, or a key file (version 3), whose password stays")
    .action(importAccount);
  add(account.command("list"), "cairn account list --home ./node1")
    .description("print addresses and files")
    .option("--json", "print a JSON array")
    .action(listAccounts);
  addEnding(account, {
    examples: ["cairn account new --home ./node1", "cairn account list --home ./node1"],
    codes: CODES,
  });
}

async function withKeystore<T>(flags: KeyFlags, use: (keystore: Keystore) => Promise<T>): Promise<T> {
  const cost = flags.lightKdf === true ? LIGHT_COST : STANDARD_COST;
  const keystore = await openKeystore({ dir: nodeHome(flags.home).keystoreDir, cost });
  try {
    return await use(keystore);
  } finally {
    keystore.close();
  }
}

async function makeAccount(flags: KeyFlags): Promise<void> {
  const passphrase = await readPassphrase({ file: flags.passwordFile, isNew: true });
  await withKeystore(flags, async (keystore) => report(keystore, flags, await keystore.create(passphrase)));
}

async function importAccount(file: string, flags: KeyFlags): Promise<void> {
  const text = readKeyText(file);
  const isHexKey = isHex(`0x${text.replace(/^0x/, "")}`, 32);
  const keyFile = isHexKey ? undefined : parseKeyFile(text);
  const passphrase = await readPassphrase({ file: flags.passwordFile, isNew: isHexKey });
  const key =
    keyFile === undefined ? hexToBytes(`0x${text.replace(/^0x/, "")}`) : await decryptKeyFile(keyFile, passphrase);
  await withKeystore(flags, async (keystore) => {
    try {
      await report(keystore, flags, await keystore.importKey(key, passphrase));
    } finally {
      key.fill(0);
    }
  });
}

function readKeyText(file: string): string {
  try {
    return readFileSync(file, "utf8").trim();
  } catch {
    throw new CommandError(`${file} cannot be read`, EXIT.usage);
  }
}

async function report(keystore: Keystore, flags: KeyFlags, address: Address): Promise<void> {
  const stored = (await keystore.accounts()).find((account) => account.address === address);
  if (stored === undefined) throw new KeystoreError("unknown-account", "the key file is gone");
  const facts = { address: toChecksumAddress(address), file: join(nodeHome(flags.home).keystoreDir, stored.file) };
  process.stdout.write(flags.json === true ? `${JSON.stringify(facts)}\n` : `${facts.address}  ${facts.file}\n`);
}

async function listAccounts(flags: AccountFlags): Promise<void> {
  const accounts = await withKeystore(flags, (keystore) => keystore.accounts());
  const facts = accounts.map(({ address, file, wallet }) => ({
    address: toChecksumAddress(address),
    file: join(nodeHome(flags.home).keystoreDir, file),
    ...(wallet === undefined ? {} : { wallet: `soft://${wallet}` }),
  }));
  const lines = facts.map(({ address, file }) => `${address}  ${file}\n`);
  process.stdout.write(flags.json === true ? `${JSON.stringify(facts)}\n` : lines.join(""));
}
