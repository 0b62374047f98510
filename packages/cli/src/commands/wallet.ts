/** `cairn wallet`: the integrator's wallet, and what it has in the vault that pays for inclusion. */
import { join } from "node:path";
import { KeystoreError, LIGHT_COST, openKeystore, STANDARD_COST } from "@cairn/keystore";
import { type Address, isAddress, toChecksumAddress } from "@cairn/primitives";
import { createServiceClient, createVault, type Vault, type VaultSigner, type VaultState } from "@cairn/sdk";
import { Argument, type Command, Option } from "commander";
import { formatAmount, parseAmount } from "../amount.ts";
import { addConnectionFlags, type ConnectionFlags, connectionOf, sandboxOf } from "../connection.ts";
import { CommandError, EXIT } from "../exit-code.ts";
import { addEnding } from "../help-ending.ts";
import { readPassphrase } from "../passphrase.ts";
import { addRequiredOption } from "../usage.ts";
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

const amount = (what: string): Argument =>
  new Argument("<amount>", `${what}: in CRN (1.5) or wei (1500wei)`).argParser(parseAmount);

/** Adds the command to the program. */
export function addWalletCommand(program: Command): void {
  const wallet = program.command("wallet").description("the wallet that pays for inclusion, and its vault");
  addEnding(walletFlags(wallet.command("create")), { examples: ["cairn wallet create --password-file ./password"] })
    .description("make a wallet: a key file as geth writes it")
    .option("--light-kdf", "encrypt with less work and memory")
    .action(create);
  addEnding(vaultFlags(wallet.command("show")), { examples: ["cairn wallet show"] })
    .description("print the wallet's address, its coins and what it has in the vault")
    .action(show);
  addEnding(vaultFlags(wallet.command("bind")), {
    examples: ['cairn wallet bind --url https://proofs.example --token "$CAIRN_TOKEN"'],
  })
    .description("prove to the service that this wallet pays for your account (EIP-712)")
    .action(bind);
  addChanges(wallet);
  addEnding(wallet, {
    examples: [
      "cairn wallet create",
      "cairn wallet deposit 10",
      "cairn wallet allow --max-per-proof 0.01 --max-per-day 5",
    ],
    notes: ["Amounts are in CRN (1.5) or wei (1500wei)."],
  });
}

/** The commands that change what the wallet has in the vault. */
function addChanges(wallet: Command): void {
  addEnding(vaultFlags(wallet.command("deposit").addArgument(amount("to deposit"))), {
    examples: ["cairn wallet deposit 10 --password-file ./password"],
  })
    .description("move coins from the wallet into the vault")
    .action((wei: bigint, flags: VaultFlags) => change(flags, ({ send }) => send({ name: "deposit" }, wei)));
  const allowing = addEnding(vaultFlags(wallet.command("allow")), {
    examples: ["cairn wallet allow --max-per-proof 0.01 --max-per-day 5"],
  });
  const price = "highest price of one proof, in CRN (0.01) or wei (100wei)";
  addRequiredOption(allowing, "--max-per-proof <amount>", price, parseAmount);
  addRequiredOption(allowing, "--max-per-day <amount>", "most of one UTC day, in CRN or wei", parseAmount)
    .description("let the service charge the vault, within limits; zeros forbid it again")
    .action(allow);
  addEnding(vaultFlags(wallet.command("withdraw").addArgument(amount("to ask back").argOptional())), {
    examples: ["cairn wallet withdraw 2.5", "cairn wallet withdraw"],
  })
    .description("ask coins back from the vault; without an amount: take what was asked back, after the delay")
    .action(withdraw);
}

function walletFlags(command: Command): Command {
  return command
    .addOption(
      new Option("--wallet-dir <dir>", "directory of wallets (or CAIRN_WALLET_DIR)").default(
        DEFAULT_WALLET_DIR,
        "~/.cairn/wallet",
      ),
    )
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
