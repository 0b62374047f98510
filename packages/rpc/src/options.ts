/** Owns what the handlers need beyond the chain: facts of the node and limits an operator sets. */
import type { Address } from "@cairn/primitives";

/** How far the node is while it catches up. */
export interface SyncStatus {
  readonly startingBlock: bigint;
  readonly currentBlock: bigint;
  readonly highestBlock: bigint;
}

/** Facts and limits for the handlers. */
export interface RpcOptions {
  /** `Name/version/system/runtime`. */
  readonly clientVersion: string;
  /** The namespaces the dispatcher serves, for `rpc_modules`. */
  readonly namespaces: readonly string[];
  /** This validator's 20-byte consensus address; absent on a node that is no validator: zero address as coinbase. */
  readonly consensusAddress?: Uint8Array;
  /** Accounts of the key store. */
  readonly accounts?: () => readonly Address[];
  readonly peerCount?: () => number;
  readonly isListening?: () => boolean;
  readonly syncing?: () => SyncStatus | false;
  /** Most a raw transaction may cost in fees, in wei; 0 for no cap. */
  readonly txFeeCapWei?: bigint;
  /** Proof-of-work fields of blocks: constants, or the specification's nulls. A client's URL can say otherwise. */
  readonly powFields?: "constants" | "null";
  /** Most logs one query returns. */
  readonly logsCap?: number;
  /** Most subscriptions of one connection. */
  readonly subscriptionsCap?: number;
  /** Most subscriptions of all connections. */
  readonly subscriptionsTotalCap?: number;
}

/** The options with their defaults filled in. */
export type RpcSettings = Required<Omit<RpcOptions, "consensusAddress">> & Pick<RpcOptions, "consensusAddress">;

const ONE_COIN_WEI = 10n ** 18n;

/** Fills in the defaults. */
export function withDefaults(options: RpcOptions): RpcSettings {
  return {
    accounts: () => [],
    peerCount: () => 0,
    isListening: () => true,
    syncing: () => false,
    txFeeCapWei: ONE_COIN_WEI,
    powFields: "constants",
    logsCap: 10_000,
    subscriptionsCap: 1024,
    subscriptionsTotalCap: 20_000,
    ...options,
  };
}
