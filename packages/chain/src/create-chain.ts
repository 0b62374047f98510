/** Owns putting the chain's parts together over one open native database. */
import { randomBytes } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import type { CommitOutcome, ExecutedTx, Head, Native } from "@cairn/native";
import type { Address } from "@cairn/primitives";
import { createApplication } from "./application.ts";
import type { BlockTag, Chain, HeadEvent } from "./chain.ts";
import type { EthGenesis } from "./eth-genesis.ts";
import { etherbaseAt } from "./etherbase.ts";
import { createFeed } from "./feed.ts";
import { createFilterRegistry } from "./filter-registry.ts";
import { createFilters, DEFAULT_FILTER_LIMITS, type FilterLimits, filtersHead, filtersPending } from "./filters.ts";
import { headLogs } from "./head-log.ts";
import { createLivePool, type LivePool } from "./live-pool.ts";
import type { Log } from "./log.ts";
import { type BuildPending, createPendingBlock } from "./pending-block.ts";
import { DEFAULT_POOL_LIMITS, type PoolLimits } from "./txpool/limits.ts";

/** What a chain stands on. The caller opens and closes `native`, made from the same `genesis`. */
export interface ChainOptions {
  readonly native: Native;
  readonly genesis: EthGenesis;
  /** Least tip in wei per gas of pooled and proposed transactions; default 0. */
  readonly minGasPriceWei?: bigint;
  readonly poolLimits?: Partial<PoolLimits>;
  /** Where the pool's journal stands; absent: the pool ends with the process. */
  readonly poolJournalFile?: string;
  readonly filterLimits?: Partial<FilterLimits>;
  /** Version text the engine sees in Info. */
  readonly version?: string;
  readonly log: Log;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
}

/** Starts the chain over an open database. */
export function createChain({ version = "", clock = Date.now, ...o }: ChainOptions): Chain {
  const { native, genesis, log } = o;
  const current = { head: native.head() };
  const head = (): Head => current.head;
  const pool = createPool({ ...o, clock }, head);
  const filters = createFilters({ ...DEFAULT_FILTER_LIMITS, ...o.filterLimits });
  const heads = createFeed<HeadEvent>("head", log);
  pool.onPending(({ hash }) => filtersPending(filters, [hash]));
  const committed = (outcome: CommitOutcome, executed: readonly ExecutedTx[]): void => {
    const event = headEvent(outcome, executed);
    current.head = outcome.head;
    pool.committed(outcome.changed);
    filtersHead(filters, event.head.hash, clock());
    heads.publish(event);
  };
  return {
    ...poolSide(pool),
    app: createApplication({ native, genesis, pool, version, committed }),
    chainId: BigInt(genesis.chainId),
    minGasPriceWei: leastTip(o),
    blockGasLimit: BigInt(genesis.gasLimit),
    head,
    resolve: (block) => resolveBlock(native, head(), block),
    reads: native,
    pending: createPending(native, pool, head, clock),
    filters: createFilterRegistry({ filters, clock, randomBytes, head: () => head().number }),
    etherbase: (consensusAddress) => etherbaseAt(native, consensusAddress, head().number),
    onHead: (listener) => heads.on(listener),
    async close() {
      heads.clear();
      await pool.close();
    },
  };
}

function limitsOf({ poolLimits }: ChainOptions): PoolLimits {
  return { ...DEFAULT_POOL_LIMITS, ...poolLimits };
}

function leastTip(o: ChainOptions): bigint {
  const limits = limitsOf(o);
  const wanted = o.minGasPriceWei ?? 0n;
  return limits.priceLimitWei > wanted ? limits.priceLimitWei : wanted;
}

function createPool(o: ChainOptions & { readonly clock: () => number }, head: () => Head): LivePool {
  const { native, log, clock, poolJournalFile: journalFile } = o;
  const journal = journalFile === undefined ? {} : { journalFile };
  return createLivePool({ native, head, limits: limitsOf(o), minTipWei: leastTip(o), clock, ...journal, log });
}

function createPending(native: Native, pool: LivePool, head: () => Head, clock: () => number): BuildPending {
  return createPendingBlock({
    native,
    head,
    selection: () => pool.view.selection(),
    poolVersion: () => pool.version(),
    settled: () => pool.settled(),
    clock,
    pause: setTimeout,
  });
}

type PoolSide = Pick<
  Chain,
  | "addLocal"
  | "submit"
  | "submissionsSettled"
  | "restorePool"
  | "pool"
  | "onPending"
  | "hasTransactions"
  | "onTransaction"
>;

function poolSide(pool: LivePool): PoolSide {
  return {
    addLocal: (sender) => pool.addLocal(sender),
    submit: (raw) => pool.submit(raw),
    submissionsSettled: () => pool.settled(),
    restorePool: () => pool.restore(),
    pool: pool.view,
    onPending: (listener) => pool.onPending(listener),
    hasTransactions: () => pool.hasTransactions(),
    onTransaction: (listener) => pool.onTransaction(listener),
  };
}

const HASH = /^0x[0-9a-fA-F]{64}$/;

function resolveBlock(native: Pick<Native, "blockNumber">, head: Head, block: BlockTag | bigint | string) {
  if (typeof block === "bigint") return block >= 0n && block <= head.number ? block : undefined;
  if (block === "earliest") return 0n;
  if (HASH.test(block)) return native.blockNumber(block.toLowerCase() as Address);
  return head.number;
}

function headEvent(outcome: CommitOutcome, executed: readonly ExecutedTx[]): HeadEvent {
  return { ...outcome, hashes: executed.map((tx) => tx.hash), logs: () => headLogs(outcome.logsJson) };
}
