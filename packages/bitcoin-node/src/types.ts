/**
 * The faces of this package: node client, anchor wallet, embedded regtest. Txids and block hashes are text in display
 * order, amounts satoshi as bigint, raw things bytes. When to anchor is not decided here.
 */

/** The logger every part takes; pino fits. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** The chain a node is on and its tip, of `getblockchaininfo`. */
export interface ChainInfo {
  /** `main`, `test`, `testnet4`, `signet`, `regtest`. */
  readonly chain: string;
  readonly blocks: number;
  readonly bestBlockHash: string;
}

/** A transaction a node knows. */
export interface KnownTransaction {
  /** With witness. */
  readonly raw: Uint8Array;
  /** Absent: in the mempool. */
  readonly blockHash?: string;
  readonly confirmations: number;
}

/** An unspent output, of `gettxout`. */
export interface TxOut {
  readonly valueSat: bigint;
  readonly scriptPubKey: Uint8Array;
  /** 0: from the mempool. */
  readonly confirmations: number;
  readonly coinbase: boolean;
}

/**
 * Outcome of a broadcast. `already` tells that the node knew it: both count as success. `missing-inputs`: an input is
 * unknown or spent (a conflicting variant may be mined); `rejected`: policy, fee or validity.
 */
export type SendOutcome =
  | { readonly ok: true; readonly txid: string; readonly already?: "mempool" | "chain" }
  | {
      readonly ok: false;
      readonly code: "missing-inputs" | "rejected" | "undecodable";
      readonly rpcCode: number;
      readonly message: string;
    };

/** The portable subset of a Bitcoin node's RPC (Bitcoin Core, btcd, the embedded regtest). Throws `BitcoinRpcError`. */
export interface BitcoinRpc {
  /** Any method; the result as parsed JSON. */
  call(method: string, params?: readonly unknown[]): Promise<unknown>;
  getBlockchainInfo(): Promise<ChainInfo>;
  getBlockCount(): Promise<number>;
  /** null: above the tip. */
  getBlockHash(height: number): Promise<string | null>;
  /** The 80 bytes; null: unknown block. Also answers for side-chain blocks. */
  getBlockHeader(hash: string): Promise<Uint8Array | null>;
  /** Block bytes; null: unknown block. */
  getBlock(hash: string): Promise<Uint8Array | null>;
  /** null: neither in the mempool nor (as far as the node's index goes) in the best chain. */
  getRawTransaction(txid: string): Promise<KnownTransaction | null>;
  sendRawTransaction(raw: Uint8Array): Promise<SendOutcome>;
  /** null: spent or unknown. `includeMempool` shows mempool outputs too (btcd ignores mempool spends: see getSpender). */
  getTxOut(txid: string, vout: number, includeMempool?: boolean): Promise<TxOut | null>;
  /** Txid of the mempool transaction that spends the outpoint; null: none. */
  getSpender(txid: string, vout: number): Promise<string | null>;
  /** Satoshi per vbyte for confirmation within `blocks`; null: the node has no data. */
  estimateFeeRate(blocks: number): Promise<number | null>;
}

/** Where a node answers and how long it may take. */
export interface BitcoinRpcOptions {
  /** `http://user:password@host:port[/path]`. */
  readonly url: string;
  /** Per call; default 10,000. */
  readonly timeoutMs?: number;
  /** Of an answer; default 16 MiB. */
  readonly maxBodyBytes?: number;
}

/** An unspent output the wallet may spend. */
export interface Coin {
  readonly txid: string;
  readonly vout: number;
  readonly valueSat: bigint;
}

/** A signed anchor transaction. */
export interface AnchorTransaction {
  /** With witness: what is broadcast. */
  readonly rawTx: Uint8Array;
  readonly txid: string;
  readonly vsize: number;
  readonly feeSat: bigint;
  /** Output 0 is the change, output 1 the OP_RETURN. */
  readonly changeValueSat: bigint;
  readonly change: Coin;
  readonly dataOutput: number;
}

/** A wallet of one key (P2WPKH, BIP 141) that spends its own outputs into anchors. */
export interface AnchorWallet {
  readonly network: WalletNetwork;
  readonly address: string;
  readonly scriptPubKey: Uint8Array;
  /**
   * `input` first, further own inputs after it, change, OP_RETURN with `data` (40 bytes); sequence 0xfffffffd.
   * Throws `WalletError` when the change would be dust or the data too long.
   */
  buildAnchor(o: {
    readonly input: Coin;
    readonly extraInputs?: readonly Coin[];
    readonly data: Uint8Array;
    readonly feeSat: bigint;
  }): AnchorTransaction;
}

/** Networks the wallet has addresses for. */
export type WalletNetwork = "mainnet" | "testnet4" | "signet" | "regtest";

/** How the embedded regtest is run. */
export interface RegtestOptions {
  /** Directory of its database; created when absent, unless `mustExist`. */
  readonly dir: string;
  /** Throws `NoRegtestError` instead of making a chain where there is none. Default false. */
  readonly mustExist?: boolean;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default 0 (any free port). */
  readonly port?: number;
  /** 0: mines only when asked. */
  readonly blockIntervalMs: number;
  readonly user: string;
  readonly password: string;
  readonly log: Log;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

/** The embedded regtest node. */
export interface Regtest {
  /** With credentials. */
  readonly url: string;
  readonly host: string;
  readonly port: number;
  /** Display hash of block 0. */
  readonly genesisHash: string;
  height(): number;
  bestBlockHash(): string;
  /** Mines now; answers the display hashes. `empty: true` leaves the mempool alone. */
  mine(count: number, o?: { readonly scriptPubKey?: Uint8Array; readonly empty?: boolean }): Promise<readonly string[]>;
  /** Sends a real transaction from the built-in faucet; it is mined with the next block. */
  fundAddress(address: string, valueSat: bigint): Promise<Coin>;
  invalidateBlock(hash: string): Promise<void>;
  reconsiderBlock(hash: string): Promise<void>;
  close(): Promise<void>;
}
