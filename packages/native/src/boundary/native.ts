/**
 * What crosses the boundary to the Rust core, in the words of this side: bigint for chain quantities, 0x-hex for
 * hashes and addresses, bytes for everything else, finished JSON text for large reads.
 */
import type { Address, Hash } from "@cairn/primitives";
import type { AdmitOutcome } from "./admission.ts";
import type {
  AccountState,
  BlockContext,
  CommitOutcome,
  ExecuteOutcome,
  ExecuteRequest,
  Head,
  ReadRef,
} from "./block.ts";
import type { AccessListOutcome, CallOutcome, CallRequest, EstimateOutcome } from "./call.ts";
import type { ExploreOutcome, ExploreRequest } from "./explore.ts";
import type { LogQuery, LogsOutcome } from "./log-query.ts";
import type { CallManyOutcome, CallManyRequest, SimulateOutcome, SimulateRequest } from "./simulation.ts";
import type { TraceOutcome, TraceRequest } from "./trace.ts";

/** Which database is opened and how. */
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
