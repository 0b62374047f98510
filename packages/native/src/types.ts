/**
 * What crosses the boundary to the Rust core, in the words of this side: bigint for chain quantities, 0x-hex for
 * hashes and addresses, bytes for everything else, finished JSON text for large reads.
 */
import type { Address, Hash, Hex } from "@cairn/primitives";

/** A height, or a block hash. Tags are resolved by the caller. */
export type BlockRef = bigint | Hash;

/** A committed block, or the one built last by `buildPending`. */
export type ReadRef = BlockRef | "pending";

export interface NativeOptions {
  /** Directory of the database; created when absent; locked while open. */
  readonly dir: string;
  /**
   * JSON text of the Ethereum side of the genesis: the `app_state` of genesis.json (see `EthGenesis` in
   * `@cairn/chain`). On an empty directory block 0 is made from it; later it must have the same hash.
   */
  readonly genesis: string;
  /** Memory for the cache of trie nodes and rows. */
  readonly cacheBytes?: number;
}

export interface Head {
  readonly number: bigint;
  readonly hash: Hash;
  readonly stateRoot: Hash;
  /** Seconds. */
  readonly timestamp: bigint;
  readonly gasLimit: bigint;
  readonly baseFeePerGasWei: bigint;
  /** Base fee of the block that will follow. */
  readonly nextBaseFeePerGasWei: bigint;
  /** `extraData`: the 32-byte consensus block hash of this height; `0x` for block 0. */
  readonly consensusHash: Hex;
}

/** Why bytes are no admissible transaction, whatever the state. */
export type AdmitCode =
  | "undecodable"
  | "unsupported-type"
  | "wrong-chain-id"
  | "unprotected"
  | "invalid-signature"
  | "intrinsic-gas"
  | "floor-gas"
  | "gas-above-block-limit"
  | "initcode-too-large"
  | "tip-above-fee-cap"
  | "oversized"
  | "empty-authorization-list";

export interface Admitted {
  readonly ok: true;
  readonly hash: Hash;
  readonly type: 0 | 1 | 2 | 4;
  readonly sender: Address;
  readonly to: Address | null;
  readonly nonce: bigint;
  readonly gas: bigint;
  readonly maxFeePerGasWei: bigint;
  readonly maxPriorityFeePerGasWei: bigint;
  readonly valueWei: bigint;
  /** Encoded length in bytes. */
  readonly size: number;
  /** Of the sender at head. */
  readonly senderNonce: bigint;
  readonly senderBalanceWei: bigint;
  /** Who signed its authorizations (EIP-7702), each once. */
  readonly authorities: readonly Address[];
}

/** `have` and `want` are the numbers a message needs (gas, chain ids, sizes in bytes), where the code has any. */
export interface NotAdmitted {
  readonly ok: false;
  readonly code: AdmitCode;
  readonly have?: bigint;
  readonly want?: bigint;
}

export type AdmitOutcome = Admitted | NotAdmitted;

export interface BlockContext {
  readonly height: bigint;
  /** Seconds, never below the parent's. */
  readonly timestamp: bigint;
  /** Receives the priority fees; the header's `miner`. */
  readonly miner: Address;
  readonly txs: readonly Uint8Array[];
}

export interface ExecuteRequest extends BlockContext {
  /** 32 bytes: becomes `extraData`. */
  readonly consensusHash: Uint8Array;
}

export interface ExecutedTx {
  readonly included: true;
  readonly hash: Hash;
  /** Index among the included transactions of the block. */
  readonly index: number;
  readonly sender: Address;
  readonly to: Address | null;
  readonly contractAddress: Address | null;
  readonly nonce: bigint;
  readonly valueWei: bigint;
  readonly gasLimit: bigint;
  readonly gasUsed: bigint;
  readonly type: 0 | 1 | 2 | 4;
  /** Receipt status 1. */
  readonly success: boolean;
  /** Its logs as the JSON text of an array of log objects, `[]` when there are none. */
  readonly logsJson: string;
}

/** A transaction that cannot be executed at its turn: no receipt, a deterministic code of 2 or more. */
export interface SkippedTx {
  readonly included: false;
  readonly code: number;
  readonly reason: string;
}

export interface ExecuteOutcome {
  /** Hash of the Ethereum block = the app hash of this height. */
  readonly hash: Hash;
  /** As many as transactions, in their order. */
  readonly txs: readonly (ExecutedTx | SkippedTx)[];
}

export interface CommitOutcome {
  readonly head: Head;
  /** The header object as JSON text, as `eth_subscribe("newHeads")` sends it. */
  readonly headerJson: string;
  /** All logs of the block as the JSON text of an array. */
  readonly logsJson: string;
  readonly logsBloom: Hex;
  /** Every account the block changed, ascending. */
  readonly changed: readonly Address[];
}

export interface AccountState {
  readonly nonce: bigint;
  readonly balanceWei: bigint;
  readonly codeHash: Hash;
}

export interface AccessListItem {
  readonly address: Address;
  readonly storageKeys: readonly Hash[];
}

/** A message: an unsigned transaction. */
export interface Message {
  readonly from?: Address;
  /** Absent: contract creation. */
  readonly to?: Address;
  readonly gas?: bigint;
  readonly gasPriceWei?: bigint;
  readonly maxFeePerGasWei?: bigint;
  readonly maxPriorityFeePerGasWei?: bigint;
  readonly valueWei?: bigint;
  readonly nonce?: bigint;
  readonly data?: Uint8Array;
  readonly accessList?: readonly AccessListItem[];
  /** EIP-7702; an empty list makes the call fail as such a transaction would. */
  readonly authorizationList?: readonly Authorization[];
}

/** One signed EIP-7702 authorization. */
export interface Authorization {
  readonly chainId: bigint;
  readonly address: Address;
  readonly nonce: bigint;
  readonly yParity: number;
  readonly r: bigint;
  readonly s: bigint;
}

/** What a call sees of one account instead of the state. */
export interface AccountOverride {
  readonly nonce?: bigint;
  readonly code?: Uint8Array;
  readonly balanceWei?: bigint;
  /** The whole storage. */
  readonly state?: Readonly<Record<Hash, Hash>>;
  /** Single words. */
  readonly stateDiff?: Readonly<Record<Hash, Hash>>;
  readonly movePrecompileTo?: Address;
}

/** Overridden accounts by address. */
export type StateOverrides = Readonly<Record<Address, AccountOverride>>;

/** Header fields a call sees instead of its block's. */
export interface BlockOverrides {
  readonly number?: bigint;
  /** Seconds. */
  readonly time?: bigint;
  readonly gasLimit?: bigint;
  readonly feeRecipient?: Address;
  readonly prevRandao?: Hash;
  readonly baseFeePerGasWei?: bigint;
  readonly blobBaseFeeWei?: bigint;
  /** Simulated blocks only. */
  readonly beaconRoot?: Hash;
}

/** Where a call runs and what it may use. */
export interface CallPlace {
  readonly block: ReadRef;
  readonly stateOverrides?: StateOverrides;
  readonly blockOverrides?: BlockOverrides;
  /** Most gas; the block's gas limit when absent. */
  readonly gasCap?: bigint;
  /** Most time in milliseconds; absent or 0: no limit. */
  readonly timeoutMs?: number;
}

/** A message on the state after a block. */
export type CallRequest = Message & CallPlace;

export type CallOutcome =
  | { readonly ok: true; readonly data: Uint8Array; readonly gasUsed: bigint }
  /** `data` is the revert payload, possibly empty. */
  | { readonly ok: false; readonly code: "reverted"; readonly data: Uint8Array; readonly gasUsed: bigint }
  /** `reason` is geth's text for the halt ("out of gas", "invalid opcode: …", …). */
  | { readonly ok: false; readonly code: "halted"; readonly reason: string; readonly gasUsed: bigint }
  /** The call could not start or was given up; `reason` is geth's text (funds, intrinsic gas, overrides, timeout). */
  | { readonly ok: false; readonly code: "refused"; readonly reason: string }
  | { readonly ok: false; readonly code: "unknown-block" };

export type EstimateOutcome =
  | { readonly ok: true; readonly gas: bigint }
  | { readonly ok: false; readonly code: "reverted"; readonly data: Uint8Array }
  | { readonly ok: false; readonly code: "halted" | "refused"; readonly reason: string }
  /** More gas than the sender can pay or the cap allows is needed. */
  | { readonly ok: false; readonly code: "allowance"; readonly allowance: bigint }
  | { readonly ok: false; readonly code: "unknown-block" };

/** `json` holds `accessList`, `gasUsed` and, when the call failed, `error`. */
export type AccessListOutcome =
  | { readonly ok: true; readonly json: string }
  | { readonly ok: false; readonly code: "refused"; readonly reason: string }
  | { readonly ok: false; readonly code: "unknown-block" };

/** One block of a simulation. */
export interface SimulateBlock {
  readonly stateOverrides?: StateOverrides;
  readonly blockOverrides?: BlockOverrides;
  readonly calls: readonly Message[];
}

/** Blocks of calls on top of a block; the gas cap is that of all calls together. */
export interface SimulateRequest extends Omit<CallPlace, "stateOverrides" | "blockOverrides"> {
  readonly blocks: readonly SimulateBlock[];
  readonly traceTransfers: boolean;
  readonly validation: boolean;
  readonly fullTransactions: boolean;
}

/** `json` is the array of simulated blocks; `rpcCode` and `reason` are geth's. */
export type SimulateOutcome =
  | { readonly ok: true; readonly json: string }
  | { readonly ok: false; readonly code: "failed"; readonly rpcCode: number; readonly reason: string }
  | { readonly ok: false; readonly code: "unknown-block" };

/** Messages that see one block. */
export interface CallBundle {
  readonly blockOverrides?: BlockOverrides;
  readonly calls: readonly Message[];
}

/** Bundles one after the other, each message on the state the ones before left. */
export interface CallManyRequest extends Omit<CallPlace, "blockOverrides"> {
  readonly bundles: readonly CallBundle[];
  /** How many transactions of the block run before; absent: all. */
  readonly transactions?: number;
}

/** `json` is an array per bundle of `value` or `error` per message; `refused` in geth's words. */
export type CallManyOutcome = AccessListOutcome;

export interface LogQuery {
  readonly fromBlock: bigint;
  readonly toBlock: bigint;
  /** Empty: any. */
  readonly addresses: readonly Address[];
  /** Per position the alternatives; empty: any. */
  readonly topics: readonly (readonly Hash[])[];
  readonly maxResults: number;
}

export type LogsOutcome =
  | { readonly ok: true; readonly json: string }
  | { readonly ok: false; readonly code: "too-many-results" }
  /** The search took longer than 10 seconds and was given up. */
  | { readonly ok: false; readonly code: "timeout" };

/** What `verify` found of one submission's `proof_data`. Codes as in docs/reference/errors. */
export type ProofVerdict =
  | {
      readonly ok: true;
      readonly kind: "proof" | "commitment";
      readonly system: string;
      readonly curve: string;
      readonly encoding: string;
      readonly version: string;
      readonly vkHash: Hash;
      readonly publicInputsHash: Hash;
      /** SHA-256 of `canonicalProof`. */
      readonly proofHash: Hash;
      readonly canonicalProof: Uint8Array;
      readonly canonicalKey: Uint8Array;
      /** As the slot of `VerifyProofs` carries them: each as 32 bytes big-endian. */
      readonly publicInputs: Uint8Array;
    }
  | {
      readonly ok: false;
      readonly code: ProofErrorCode;
      readonly detail: string;
      /** With `unknown-vk`: the hash of the key that is wanted. */
      readonly vkHash?: Hash;
    };

/** What an integration says of artifacts that come without an envelope. */
export interface ProofProfile {
  readonly system: string;
  /** Absent: the one the artifact names, else BN254. */
  readonly curve?: string;
  readonly encoding: string;
  /** Informative: Groth16 has no versions. */
  readonly version?: string;
  /** Key of proofs that bring none. */
  readonly vkHash?: Hash;
}

/** A `proof_data` text, or one with its integration's profile or with the key that it names by hash. */
export type ProofItem =
  | string
  | {
      readonly proofData: string;
      readonly profile?: ProofProfile | undefined;
      /** Canonical bytes of the key whose hash the proof names. */
      readonly key?: Uint8Array | undefined;
    };

/** A verification key as it was submitted: `vk` is JSON of the encoding. */
export interface SubmittedKey {
  readonly system: string;
  readonly curve?: string | undefined;
  readonly encoding: string;
  readonly vk: unknown;
}

/** What `decodeKey` found of a key. */
export type KeyVerdict =
  | {
      readonly ok: true;
      readonly system: string;
      readonly curve: string;
      readonly vkHash: Hash;
      readonly canonicalKey: Uint8Array;
      /** Public inputs of a proof. */
      readonly publicInputs: number;
      /** Pedersen commitments of a proof. */
      readonly commitments: number;
    }
  | { readonly ok: false; readonly code: ProofErrorCode; readonly detail: string };

export type ProofErrorCode =
  | "malformed"
  | "unrecognised-format"
  | "unsupported-system"
  | "unsupported-encoding"
  | "unsupported-version"
  | "unknown-vk"
  | "wrong-input-count"
  | "input-out-of-field"
  | "not-on-curve"
  | "not-in-subgroup"
  | "invalid-proof";

/** Options of a trace, as geth names them; see `debug_traceTransaction`. */
export interface TraceOptions {
  /** Beside geth's: `replayTracer`, Parity's traces, whose config is the list of what is wanted. */
  readonly tracer?: string;
  readonly tracerConfig?: Readonly<Record<string, unknown>> | readonly string[];
  readonly timeoutMs?: number;
  readonly enableMemory?: boolean;
  readonly disableStack?: boolean;
  readonly disableStorage?: boolean;
  readonly enableReturnData?: boolean;
  readonly limit?: number;
}

/** One of several messages. */
export interface TracedCall {
  readonly call: Message;
  readonly options: TraceOptions;
}

/** What to run again: a committed transaction, a block, or messages that are no committed transactions. */
export type TraceRequest =
  | { readonly kind: "transaction"; readonly hash: Hash; readonly options: TraceOptions }
  | { readonly kind: "block"; readonly block: BlockRef; readonly options: TraceOptions }
  | {
      /** A block in geth's standard form; the answer is the empty array. */
      readonly kind: "files";
      readonly block: BlockRef;
      /** An empty file per transaction; an empty name: not traced. */
      readonly files: readonly string[];
      readonly options: TraceOptions;
    }
  | {
      readonly kind: "call";
      readonly call: Message;
      readonly block: BlockRef;
      /** On the state before this transaction of the block instead of after the block. */
      readonly txIndex?: number;
      readonly stateOverrides?: StateOverrides;
      readonly blockOverrides?: BlockOverrides;
      readonly options: TraceOptions;
    }
  /** Each message on what the ones before left; the answer is an array. */
  | { readonly kind: "calls"; readonly calls: readonly TracedCall[]; readonly block: BlockRef }
  | { readonly kind: "raw"; readonly raw: Uint8Array; readonly block: BlockRef; readonly options: TraceOptions };

/** `failed`: the trace could not be made; `options`: something in the request is not usable. `reason` says what. */
export type TraceOutcome =
  | { readonly ok: true; readonly json: string }
  | {
      readonly ok: false;
      readonly code: "unknown-block" | "unknown-transaction" | "genesis" | "options" | "failed";
      readonly reason: string;
    }
  /** The transaction is not admissible, whatever the state. */
  | { readonly ok: false; readonly code: "refused"; readonly reason: string; readonly refusal: NotAdmitted };

/** Looking into states and into the index of accounts; keys are keccak hashes of addresses and slots. */
export type ExploreRequest =
  /** Accounts in the order of their keys, as geth dumps them. */
  | {
      readonly kind: "dump";
      readonly block: BlockRef;
      readonly start: Hash;
      readonly most: number;
      readonly code: boolean;
      readonly storage: boolean;
    }
  /** An account's storage before a transaction of a block. */
  | {
      readonly kind: "storageRange";
      readonly block: BlockRef;
      readonly txIndex: number;
      readonly address: Address;
      readonly start: Hash;
      readonly most: number;
    }
  /** The address or slot a key stands for. */
  | { readonly kind: "preimage"; readonly hash: Hash }
  /** Addresses whose accounts differ between two blocks. */
  | { readonly kind: "modified"; readonly from: BlockRef; readonly to: BlockRef }
  /** `{hashes, more}` of the transactions that touched an account, whole blocks until there are `least`. */
  | {
      readonly kind: "touching";
      readonly address: Address;
      readonly from: bigint;
      readonly to: bigint;
      readonly backwards: boolean;
      readonly least: number;
    };

export type ExploreOutcome =
  | { readonly ok: true; readonly json: string }
  | { readonly ok: false; readonly code: "unknown-block" | "unknown-transaction" | "unknown" | "too-large" };

/** One open database. Expected outcomes are values; a `NativeError` is a surprise (disk, corruption, closed). */
export interface Native {
  head(): Head;
  admit(raws: readonly Uint8Array[]): Promise<readonly AdmitOutcome[]>;
  /** Dry run on the head state: indices of the transactions that execute, in the given order. */
  propose(block: BlockContext): Promise<readonly number[]>;
  /** Held in memory until `commit`; the same block again answers from memory; another block replaces it. */
  execute(block: ExecuteRequest): Promise<ExecuteOutcome>;
  /** Makes the block last executed durable in one atomic write. */
  commit(): Promise<CommitOutcome>;
  /**
   * Executes transactions on the head, leaving out what does not execute and what half a second does not suffice for, and
   * keeps the block in memory for reads of `pending`. Answers the hash of the head it stands on. Never in the way of the
   * block in progress.
   */
  buildPending(block: BlockContext): Promise<Hash>;

  /** `undefined`: no such block; an absent account is all zero. */
  account(address: Address, block: ReadRef): AccountState | undefined;
  code(address: Address, block: ReadRef): Uint8Array | undefined;
  /** 32 bytes. */
  storage(address: Address, slot: Uint8Array, block: ReadRef): Uint8Array | undefined;
  blockNumber(hash: Hash): bigint | undefined;

  call(request: CallRequest): Promise<CallOutcome>;
  estimateGas(request: CallRequest): Promise<EstimateOutcome>;
  /** `call` on this thread, for about 50 µs; undefined when it would take more, or may. */
  callSmall(request: CallRequest): CallOutcome | undefined;
  /** `estimateGas` on this thread, for about 50 µs; undefined when it would take more, or may. */
  estimateSmall(request: CallRequest): EstimateOutcome | undefined;
  createAccessList(request: CallRequest): Promise<AccessListOutcome>;
  simulate(request: SimulateRequest): Promise<SimulateOutcome>;
  callMany(request: CallManyRequest): Promise<CallManyOutcome>;

  /** Runs again what the request names, watched by a tracer. */
  trace(request: TraceRequest): Promise<TraceOutcome>;

  explore(request: ExploreRequest): Promise<ExploreOutcome>;

  /** JSON text, `null` when unknown. */
  headerJson(block: ReadRef): string | null;
  blockJson(block: ReadRef, fullTransactions: boolean): Promise<string | null>;
  transactionJson(hash: Hash): string | null;
  transactionByIndexJson(block: ReadRef, index: number): string | null;
  transactionCount(block: ReadRef): number | null;
  receiptJson(hash: Hash): string | null;
  blockReceiptsJson(block: ReadRef): Promise<string | null>;
  logsJson(query: LogQuery): Promise<LogsOutcome>;
  /** `logsJson` on this thread when a few rows answer it; undefined when they do not. */
  logsSmall(query: LogQuery): LogsOutcome | undefined;
  /**
   * `keys` are storage keys of at most 32 bytes, big-endian: one of 32 bytes is echoed as such, a shorter one as a
   * quantity (geth's rule). An absent account has zero hashes.
   */
  proofJson(address: Address, keys: readonly Uint8Array[], block: ReadRef): Promise<string | null>;
  feeHistoryJson(blockCount: number, newest: bigint | "pending", percentiles: readonly number[]): Promise<string>;

  rawHeader(block: ReadRef): Uint8Array | null;
  /** RLP of header, transactions, uncles, withdrawals. */
  rawBlock(block: ReadRef): Promise<Uint8Array | null>;
  /** Consensus (EIP-2718) encodings of the block's receipts. */
  rawReceipts(block: ReadRef): Promise<readonly Uint8Array[] | null>;
  rawTransaction(hash: Hash): Uint8Array | null;

  /** Flushes and releases the directory; further calls throw `closed`. */
  close(): Promise<void>;
}

/** `state`: a request that does not fit the head (another height, nothing to commit) or a fault inside. */
export type NativeErrorCode =
  | "addon-missing"
  | "genesis-mismatch"
  | "invalid-genesis"
  | "locked"
  | "corrupt"
  | "io"
  | "closed"
  | "state";
