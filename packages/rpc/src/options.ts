/** Owns what the handlers need beyond the chain: facts of the node and limits an operator sets. */
import type { Keystore } from "@cairn/keystore";

/** How far the node is while it catches up. */
export interface SyncStatus {
  readonly startingBlock: bigint;
  readonly currentBlock: bigint;
  readonly highestBlock: bigint;
}

/** A level of logs. */
export type LogLevel = "silent" | "error" | "warn" | "info" | "debug";

/** Facts and limits for the handlers. */
export interface RpcOptions {
  /** `Name/version/system/runtime`. */
  readonly clientVersion: string;
  /** The namespaces the dispatcher serves, for `rpc_modules`. */
  readonly namespaces: readonly string[];
  /** This validator's 20-byte consensus address; absent on a node that is no validator: zero address as coinbase. */
  readonly consensusAddress?: Uint8Array;
  /** The node's accounts; its owner closes it. */
  readonly keystore: Keystore;
  /** Whether callers from elsewhere may use unlocked accounts without the token. */
  readonly allowInsecureUnlock?: boolean;
  /** Whether `eth_sendTransaction` estimates gas that is not given, instead of 90,000. */
  readonly estimateGas?: boolean;
  /** Least rise of both fees of a replacement in the pool, in percent. */
  readonly priceBump?: bigint;
  /** 32-byte key of the validator's operator, where the node's home holds it. */
  readonly operatorKey?: Uint8Array;
  /** Writes the minimum gas price in wei that the next start takes. */
  readonly saveMinGasPrice: (wei: bigint) => Promise<void>;
  readonly peerCount?: () => number;
  readonly isListening?: () => boolean;
  readonly syncing?: () => SyncStatus | false;
  /** Most a raw transaction may cost in fees, in wei; 0 for no cap. */
  readonly txFeeCapWei?: bigint;
  /** Most gas of a call or an estimate; 0: the block's gas limit. */
  readonly gasCap?: bigint;
  /** A call or an estimate is given up after so many milliseconds; 0 for no limit. */
  readonly evmTimeoutMs?: number;
  /** Most blocks one `eth_feeHistory` answers; more are cut off. */
  readonly feeHistoryCap?: number;
  /** Whether raw transactions without chain id (before EIP-155) are handed to the pool. */
  readonly allowUnprotectedTxs?: boolean;
  /** Proof-of-work fields of blocks: constants, or the specification's nulls. A client's URL can say otherwise. */
  readonly powFields?: "constants" | "null";
  /** Most logs one query returns. */
  readonly logsCap?: number;
  /** Most subscriptions of one connection. */
  readonly subscriptionsCap?: number;
  /** Most subscriptions of all connections. */
  readonly subscriptionsTotalCap?: number;
  /** Directory of the files that `debug` methods read and write; without it they refuse. */
  readonly debugDir?: string;
  /** Changes the level of the node's logs. */
  readonly setLogLevel?: (level: LogLevel) => void;
}

/** The options with their defaults filled in. */
export type RpcSettings = Required<Omit<RpcOptions, Absentable>> & Pick<RpcOptions, Absentable>;

type Absentable = "consensusAddress" | "operatorKey" | "debugDir" | "setLogLevel";

const ONE_COIN_WEI = 10n ** 18n;

/** Fills in the defaults. */
export function withDefaults(options: RpcOptions): RpcSettings {
  return {
    allowInsecureUnlock: false,
    estimateGas: false,
    priceBump: 10n,
    peerCount: () => 0,
    isListening: () => true,
    syncing: () => false,
    txFeeCapWei: ONE_COIN_WEI,
    gasCap: 0n,
    evmTimeoutMs: 5_000,
    feeHistoryCap: 1024,
    allowUnprotectedTxs: false,
    powFields: "constants",
    logsCap: 10_000,
    subscriptionsCap: 1024,
    subscriptionsTotalCap: 20_000,
    ...options,
  };
}
