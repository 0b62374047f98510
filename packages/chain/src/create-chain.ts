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
import { createLivePool } from "./live-pool.ts";
import type { Log } from "./log.ts";
import { createPendingBlock } from "./pending-block.ts";
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
export function createChain({
  native,
  genesis,
  minGasPriceWei = 0n,
  poolLimits = {},
  poolJournalFile,
  filterLimits = {},
  version = "",
  log,
  clock = Date.now,
}: ChainOptions): Chain {
  const limits = { ...DEFAULT_POOL_LIMITS, ...poolLimits };
  const minTipWei = limits.priceLimitWei > minGasPriceWei ? limits.priceLimitWei : minGasPriceWei;
  let head = native.head();
  const pool = createLivePool({
    native,
    head: () => head,
    limits,
    minTipWei,
    clock,
    ...(poolJournalFile === undefined ? {} : { journalFile: poolJournalFile }),
    log,
  });
  const filters = createFilters({ ...DEFAULT_FILTER_LIMITS, ...filterLimits });
  const heads = createFeed<HeadEvent>("head", log);
  pool.onPending(({ hash }) => filtersPending(filters, [hash]));
  const committed = (outcome: CommitOutcome, executed: readonly ExecutedTx[]): void => {
    const event = headEvent(outcome, executed);
    head = outcome.head;
    pool.committed(outcome.changed);
    filtersHead(filters, event.head.hash, clock());
    heads.publish(event);
  };
  return {
    app: createApplication({ native, genesis, pool, version, committed }),
    chainId: BigInt(genesis.chainId),
    minGasPriceWei: minTipWei,
    blockGasLimit: BigInt(genesis.gasLimit),
    addLocal: (sender) => pool.addLocal(sender),
    submit: (raw) => pool.submit(raw),
    submissionsSettled: () => pool.settled(),
    restorePool: () => pool.restore(),
    head: () => head,
    resolve: (block) => resolveBlock(native, head, block),
    reads: native,
    pending: createPendingBlock({
      native,
      head: () => head,
      selection: () => pool.view.selection(),
      poolVersion: () => pool.version(),
      settled: () => pool.settled(),
      clock,
      pause: setTimeout,
    }),
    pool: pool.view,
    filters: createFilterRegistry({ filters, clock, randomBytes, head: () => head.number }),
    etherbase: (consensusAddress) => etherbaseAt(native, consensusAddress, head.number),
    onHead: (listener) => heads.on(listener),
    onPending: (listener) => pool.onPending(listener),
    hasTransactions: () => pool.hasTransactions(),
    onTransaction: (listener) => pool.onTransaction(listener),
    async close() {
      heads.clear();
      await pool.close();
    },
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
