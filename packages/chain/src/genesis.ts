/**
 * Owns the Ethereum side of the genesis (`app_state` of genesis.json): how one is built. Reading and
 * checking a written one is `genesis-parse.ts`; making block 0 of it is the native core's.
 */
import { predeployAlloc } from "@cairn/contracts";
import { type Address, type Hex, quantityToHex } from "@cairn/primitives";
import type { EthGenesis, GenesisAccount, GenesisAlloc } from "./eth-genesis.ts";
import { SYSTEM_CONTRACTS } from "./system-contracts.ts";

/** One validator as `ValidatorRegistry` starts with it. */
export interface GenesisValidator {
  /** 20 bytes. */
  readonly consensusAddress: Hex;
  /** Ed25519, 32 bytes. */
  readonly pubKey: Hex;
  readonly power: bigint;
  readonly operator: Address;
  readonly etherbase: Address;
}

/** What `buildGenesis` needs; defaults are the sandbox's chain. */
export interface BuildGenesisOptions {
  readonly chainId?: bigint;
  readonly timestampSeconds: bigint;
  readonly gasLimit?: bigint;
  readonly baseFeePerGasWei?: bigint;
  readonly minBaseFeeWei?: bigint;
  readonly allowUnprotectedTxs?: boolean;
  /** Owner of the predeployed contracts. */
  readonly owner: Address;
  readonly validators: readonly GenesisValidator[];
  /** Of the vault's withdrawals; the vault's default when absent. */
  readonly withdrawalDelaySeconds?: bigint;
  /** Balances in wei. */
  readonly balances?: Readonly<Record<Address, bigint>>;
  /** Further accounts, taking precedence over all others. */
  readonly alloc?: GenesisAlloc;
}

/** EVM chain id of the sandbox and default of every new chain. */
export const DEFAULT_CHAIN_ID = 358_587n;

/** The genesis with system contracts, predeploys and funded accounts in its state. */
export function buildGenesis({
  chainId = DEFAULT_CHAIN_ID,
  timestampSeconds,
  gasLimit = 100_000_000n,
  baseFeePerGasWei = 1_000_000_000n,
  minBaseFeeWei = 0n,
  allowUnprotectedTxs = false,
  owner,
  validators,
  withdrawalDelaySeconds,
  balances = {},
  alloc = {},
}: BuildGenesisOptions): EthGenesis {
  const delay = withdrawalDelaySeconds === undefined ? {} : { withdrawalDelaySeconds };
  const predeploys = Object.entries(predeployAlloc({ owner, validators: [...validators], ...delay }));
  return {
    chainId: Number(chainId),
    timestamp: Number(timestampSeconds),
    gasLimit: Number(gasLimit),
    baseFeePerGas: quantityToHex(baseFeePerGasWei),
    minBaseFee: quantityToHex(minBaseFeeWei),
    allowUnprotectedTxs,
    alloc: mergeAlloc(
      SYSTEM_CONTRACTS,
      Object.fromEntries(predeploys.map(([address, account]) => [address, { balance: "0x0", ...account }])),
      Object.fromEntries(Object.entries(balances).map(([address, wei]) => [address, { balance: quantityToHex(wei) }])),
      alloc,
    ),
  };
}

function mergeAlloc(...parts: readonly GenesisAlloc[]): GenesisAlloc {
  const merged: Record<Address, GenesisAccount> = {};
  for (const part of parts) {
    for (const [address, account] of Object.entries(part)) {
      const key = address.toLowerCase() as Address;
      merged[key] = { ...merged[key], ...account };
    }
  }
  return merged;
}
