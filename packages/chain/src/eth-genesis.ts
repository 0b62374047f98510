/** Owns the shape of the Ethereum side of the genesis (`app_state` of genesis.json). */
import type { Address, Hex } from "@cairn/primitives";

/** One account of the genesis state. Quantities as 0x-hex, storage keys and values as 32 bytes. */
export interface GenesisAccount {
  readonly balance: Hex;
  readonly nonce?: number;
  readonly code?: Hex;
  readonly storage?: Readonly<Record<Hex, Hex>>;
}

/** Genesis accounts by address in lower case. */
export type GenesisAlloc = Readonly<Record<Address, GenesisAccount>>;

/** The `app_state` of genesis.json. */
export interface EthGenesis {
  readonly chainId: number;
  /** Seconds since 1970: those of `genesis_time`. */
  readonly timestamp: number;
  readonly gasLimit: number;
  /** Base fee of block 0 in wei. */
  readonly baseFeePerGas: Hex;
  /** Floor of every later base fee in wei. */
  readonly minBaseFee: Hex;
  /** Whether transactions without a chain id (before EIP-155) are taken. */
  readonly allowUnprotectedTxs: boolean;
  readonly alloc: GenesisAlloc;
}
