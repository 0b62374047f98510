/** `cairn wallet`: the integrator's wallet, and what it has in the vault that pays for inclusion. */
import { join } from "node:path";
import { KeystoreError, LIGHT_COST, openKeystore, STANDARD_COST } from "@cairn/keystore";
import { type Address, isAddress, toChecksumAddress } from "@cairn/primitives";
import { createServiceClient, createVault, type Vault, type VaultSigner, type VaultState } from "@cairn/sdk";
import { Argument, type Command } from "commander";
import { formatAmount, parseAmount } from "../amount.ts";
import { addConnectionFlags, type ConnectionFlags, connectionOf, sandboxOf } from "../connection.ts";
import { CommandError, EXIT } from "../exit-code.ts";
import { readPassphrase } from "../passphrase.ts";
import { chooseWallet, DEFAULT_WALLET_DIR, openSigner, type WalletFlags } from "../wallet-file.ts";

interface CreateFlags extends WalletFlags {
  readonly lightKdf?: boolean;
  readonly json?: boolean;
}

interface VaultFlags extends WalletFlags, ConnectionFlags {
  readonly rpc?: string;
  readonly settler?: string;
  readonly json?: boolean;
}

interface AllowFlags extends VaultFlags {
  readonly maxPerProof: bigint;
  readonly maxPerDay: bigint;
}

const CODES = "\nExit codes: 0 done, 1 failed, 2 wrong usage.";
const help = (example: string): string => `\nExample:\n  ${example}\n${CODES}`;
const amount = (what: string): Argument =>
  new Argument("<amount>", `${what}: in CRN (1.5) or wei (1500wei)`).argParser(parseAmount);

/** Adds the command to the program. */
export function addWalletCommand(program: Command): void {
  const wallet = program.command("wallet").description("the wallet that pays for inclusion, and its vault");
  walletFlags(wallet.command("create"))
    .description("make a wallet: a key file as geth writes it")
    .option("--light-kdf", "encrypt with less work and memory")
    .addHelpText("after", help("cairn wallet create --password-file ./password"))
    .action(create);
  vaultFlags(wallet.command("show"))
    .description("print the wallet's address, its coins and what it has in the vault")
    .addHelpText("after", help("cairn wallet show"))
    .action(show);
  vaultFlags(wallet.command("bind"))
    .description("prove to the service that this wallet pays for your account (EIP-712)")
    .addHelpText("after", help('cairn wallet bind --url https://proofs.example --token "$CAIRN_TOKEN"'))
    .action(bind);
  vaultFlags(wallet.command("deposit").addArgument(amount("to deposit")))
    .description("move coins from the wallet into the vault")
    .addHelpText("after", help("cairn wallet deposit 10 --password-file ./password"))
    .action((wei: bigint, flags: VaultFlags) => change(flags, ({ send }) => send({ name: "deposit" }, wei)));
  vaultFlags(wallet.command("allow"))
    .description("let the service charge the vault, within limits; zeros forbid it again")
    .requiredOption("--max-per-proof <amount>", "highest price of one proof", parseAmount)
    .requiredOption("--max-per-day <amount>", "most of one UTC day", parseAmount)
    .addHelpText("after", help("cairn wallet allow --max-per-proof 0.01 --max-per-day 5"))
    .action(allow);
  vaultFlags(wallet.command("withdraw").addArgument(amount("to ask back").argOptional()))
    .description("ask coins back from the vault; without an amount: take what was asked back, after the delay")
    .addHelpText("after", help("cairn wallet withdraw 2.5\n  cairn wallet withdraw"))
    .action(withdraw);
}

function walletFlags(command: Command): Command {
  return command
    .option("--wallet-dir <dir>", "directory of wallets (or CAIRN_WALLET_DIR)", DEFAULT_WALLET_DIR)
    .option("--password-file <file>", "first line: the password; otherwise asked for, or read from piped input")
    .option("--json", "print a JSON object");
}

function vaultFlags(command: Command): Command {
  return addConnectionFlags(walletFlags(command))
    .option("--address <address>", "which wallet, where there are several")
    .option("--rpc <url>", "JSON-RPC of the chain (or CAIRN_RPC; default: the sandbox of --home)")
    .option("--settler <address>", "who charges (default: the service's settler)");
}

async function create(flags: CreateFlags): Promise<void> {
  const passphrase = await readPassphrase({ file: flags.passwordFile, isNew: true });
  const cost = flags.lightKdf === true ? LIGHT_COST : STANDARD_COST;
  const keystore = await openKeystore({ dir: flags.walletDir, cost });
  try {
    const address = await keystore.create(passphrase);
    const stored = (await keystore.accounts()).find((account) => account.address === address);
    if (stored === undefined) throw new KeystoreError("unknown-account", "the key file is gone");
    print(flags, { address: toChecksumAddress(address), file: join(flags.walletDir, stored.file) });
  } finally {
    keystore.close();
  }
}

function vaultOf(flags: VaultFlags): Vault {
  const rpcUrl = flags.rpc ?? process.env.CAIRN_RPC ?? sandboxOf(flags).ready?.json_rpc_url;
  if (rpcUrl === undefined) throw new CommandError("no chain: give --rpc, or start a sandbox", EXIT.usage);
  if (!URL.canParse(rpcUrl)) throw new CommandError(`--rpc ${rpcUrl}: not a URL`, EXIT.usage);
  return createVault({ rpcUrl });
}

/** The settler that is named, else the service's. */
async function settlerOf(flags: VaultFlags): Promise<Address> {
  if (flags.settler === undefined) {
    return (await createServiceClient(connectionOf(flags)).status()).chain.settler as Address;
  }
  if (!isAddress(flags.settler)) throw new CommandError(`--settler ${flags.settler}: not an address`, EXIT.usage);
  return `0x${flags.settler.slice(2).toLowerCase()}`;
}

async function show(flags: VaultFlags): Promise<void> {
  const { address } = await chooseWallet(flags);
  const state = await vaultOf(flags).state(address, await settlerOf(flags));
  if (flags.json === true) return print(flags, jsonOf(state));
  process.stdout.write(render(state));
}

async function bind(flags: VaultFlags): Promise<void> {
  const client = createServiceClient(connectionOf(flags));
  const signer = await openSigner(flags);
  try {
    const wallet = await client.bindWallet(signer.address, signer.signTypedData);
    print(flags, { bound: toChecksumAddress(`0x${wallet.slice(2)}`) });
  } finally {
    signer.close();
  }
}

interface Change {
  readonly signer: VaultSigner;
  send(call: Parameters<Vault["send"]>[1], valueWei?: bigint): ReturnType<Vault["send"]>;
}

/** Signs and sends one change, tells where it is included. */
async function change(flags: VaultFlags, work: (o: Change) => ReturnType<Vault["send"]>): Promise<void> {
  const vault = vaultOf(flags);
  const signer = await openSigner(flags);
  try {
    const { hash, blockNumber } = await work({ signer, send: (call, wei) => vault.send(signer, call, wei) });
    if (flags.json === true) return print(flags, { transaction_hash: hash, block_number: Number(blockNumber) });
    process.stdout.write(`${hash} in block ${blockNumber}\n`);
  } finally {
    signer.close();
  }
}

async function allow(flags: AllowFlags): Promise<void> {
  const settler = await settlerOf(flags);
  const { maxPerProof: maxPerProofWei, maxPerDay: maxPerDayWei } = flags;
  await change(flags, ({ send }) => send({ name: "allow", settler, maxPerProofWei, maxPerDayWei }));
}

async function withdraw(amountWei: bigint | undefined, flags: VaultFlags): Promise<void> {
  const call =
    amountWei === undefined ? { name: "withdraw" as const } : { name: "requestWithdrawal" as const, amountWei };
  await change(flags, ({ send }) => send(call));
}

function print(flags: { readonly json?: boolean }, facts: Readonly<Record<string, unknown>>): void {
  const lines = Object.entries(facts).map(([name, value]) => `${name.padEnd(10)} ${String(value)}\n`);
  process.stdout.write(flags.json === true ? `${JSON.stringify(facts)}\n` : lines.join(""));
}

function jsonOf(state: VaultState): Readonly<Record<string, unknown>> {
  const { withdrawal, allowance } = state;
  return {
    address: toChecksumAddress(state.payer),
    wallet_wei: String(state.walletWei),
    deposited_wei: String(state.depositedWei),
    owed_wei: String(state.owedWei),
    withdrawal:
      withdrawal === undefined
        ? null
        : { amount_wei: String(withdrawal.amountWei), available_at: isoTime(withdrawal.availableAt) },
    allowance:
      allowance === undefined
        ? null
        : {
            settler: toChecksumAddress(allowance.settler),
            max_per_proof_wei: String(allowance.maxPerProofWei),
            max_per_day_wei: String(allowance.maxPerDayWei),
          },
  };
}

function render({ payer, walletWei, depositedWei, owedWei, withdrawal, allowance }: VaultState): string {
  const allowed =
    allowance === undefined || allowance.maxPerProofWei === 0n
      ? "nothing yet (cairn wallet allow)"
      : `${formatAmount(allowance.maxPerProofWei)} a proof, ${formatAmount(allowance.maxPerDayWei)} a day`;
  return [
    `address    ${toChecksumAddress(payer)}`,
    `wallet     ${formatAmount(walletWei)}`,
    `vault      ${formatAmount(depositedWei)}`,
    `allowed    ${allowed}`,
    ...(owedWei === 0n ? [] : [`overdue    ${formatAmount(owedWei)}`]),
    ...(withdrawal === undefined
      ? []
      : [`asked back ${formatAmount(withdrawal.amountWei)}, from ${isoTime(withdrawal.availableAt)}`]),
    "",
  ].join("\n");
}

const isoTime = (seconds: bigint): string => new Date(Number(seconds) * 1_000).toISOString();
