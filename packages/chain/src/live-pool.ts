/**
 * Owns the running transaction pool: admission in front of it, state reads for its steps, its timer, and telling what
 * became executable. The rules are the steps in `txpool/`.
 */
import type { Head, Native } from "@cairn/native";
import type { Address, Hash } from "@cairn/primitives";
import { createAdmission, type TakeGroup } from "./admission.ts";
import type { PendingEvent, PoolView } from "./chain.ts";
import { createFeed, type Feed } from "./feed.ts";
import type { Log } from "./log.ts";
import { poolView } from "./pool-view.ts";
import type { PooledTx } from "./pooled-tx.ts";
import type { SubmitOutcome } from "./submission.ts";
import { addTx } from "./txpool/add.ts";
import { type AccountAtHead, dropUnexecutable, expireQueued, nextToRecheck, recheck, stepHead } from "./txpool/head.ts";
import type { PoolLimits } from "./txpool/limits.ts";
import { hasSelectable, type SelectLimits, select } from "./txpool/select.ts";
import { truncatePool } from "./txpool/truncate.ts";
import { createTxPool, noChanges, type PoolChanges, type TxPool } from "./txpool/txpool.ts";

/** What a running pool stands on. `clock` in milliseconds. */
export interface LivePoolOptions {
  readonly native: Pick<Native, "admit" | "account">;
  /** The head that `committed` told of last. */
  readonly head: () => Head;
  readonly limits: PoolLimits;
  readonly minTipWei: bigint;
  readonly clock: () => number;
  readonly log: Log;
}

/** The running pool. */
export interface LivePool {
  readonly view: PoolView;
  submit(raw: Uint8Array): Promise<SubmitOutcome>;
  has(hash: Hash): boolean;
  /** The proposal's choice on the head. */
  select(limits: Omit<SelectLimits, "baseFeeWei">): readonly PooledTx[];
  hasTransactions(): boolean;
  /** Takes in the committed head; `touched` are the senders and recipients of its block. */
  committed(touched: Iterable<Address>): void;
  /** Takes in the transactions a dry run on the head refused, in selection order. */
  refused(txs: readonly PooledTx[]): void;
  onPending(listener: (event: PendingEvent) => void): () => void;
  onTransaction(listener: () => void): () => void;
  close(): Promise<void>;
}

/** Senders looked at per block besides those the block touched. */
const RECHECKED_PER_BLOCK = 1_000;
const EXPIRY_INTERVAL_MS = 60_000;

/** Starts a pool; `close` ends its timer and admission. */
export function createLivePool({ native, head, limits, minTipWei, clock, log }: LivePoolOptions): LivePool {
  const pool = createTxPool(limits, minTipWei);
  const reads: StateReads = { native, head };
  const feeds = {
    pending: createFeed<PendingEvent>("pending", log),
    arrival: createFeed<void>("transaction", log),
  };
  const change = <T>(step: (changes: PoolChanges) => T): T => settle(pool, feeds, step);
  const admission = createAdmission(native, (group) =>
    change((changes) => takeGroup(pool, reads, group, { changes, nowMs: clock() })),
  );
  const timer = setInterval(() => change((changes) => expireQueued(pool, clock(), changes)), EXPIRY_INTERVAL_MS);
  timer.unref();
  const selectNow = (bounds: Omit<SelectLimits, "baseFeeWei">) =>
    select(pool, { ...bounds, baseFeeWei: head().nextBaseFeePerGasWei });
  return {
    view: poolView(pool, reads, () => selectNow({ maxGas: head().gasLimit, maxBytes: 1n << 62n })),
    submit: (raw) => admission.submit(raw),
    has: (hash) => pool.byHash.has(hash),
    select: selectNow,
    hasTransactions: () => hasSelectable(pool, head().nextBaseFeePerGasWei),
    committed: (touched) => change((changes) => takeHead(pool, reads, touched, changes)),
    refused: (txs) => change((changes) => dropRefused(pool, reads, txs, changes)),
    onPending: (listener) => feeds.pending.on(listener),
    onTransaction: (listener) => feeds.arrival.on(listener),
    async close() {
      clearInterval(timer);
      await admission.close();
      feeds.pending.clear();
      feeds.arrival.clear();
    },
  };
}

interface PoolFeeds {
  readonly pending: Feed<PendingEvent>;
  readonly arrival: Feed<void>;
}

/** Runs a step, keeps the limits, and tells what became executable and still is pooled. */
function settle<T>(pool: TxPool, feeds: PoolFeeds, step: (changes: PoolChanges) => T): T {
  const changes = noChanges();
  const result = step(changes);
  truncatePool(pool, changes);
  const promoted = changes.promoted.filter((tx) => pool.byHash.get(tx.hash) === tx);
  for (const tx of promoted) feeds.pending.publish({ hash: tx.hash, tx });
  if (promoted.length > 0) feeds.arrival.publish();
  return result;
}

function takeHead(pool: TxPool, reads: StateReads, touched: Iterable<Address>, changes: PoolChanges): void {
  const pooled = new Set(nextToRecheck(pool, RECHECKED_PER_BLOCK));
  for (const address of touched) if (pool.accounts.has(address)) pooled.add(address);
  stepHead(pool, statesOf(reads, pool, pooled), changes);
}

type StateReads = Pick<LivePoolOptions, "native" | "head">;

function statesOf({ native, head }: StateReads, pool: TxPool, addresses: Iterable<Address>): AccountAtHead[] {
  const { number } = head();
  const states: AccountAtHead[] = [];
  for (const address of addresses) {
    if (!pool.accounts.has(address)) continue;
    const account = native.account(address, number);
    if (account !== undefined) states.push({ address, nonce: account.nonce, balanceWei: account.balanceWei });
  }
  return states;
}

/** Adds an admitted group. The sender's state is read anew: a block may have been committed since admission. */
function takeGroup(
  pool: TxPool,
  { native, head }: StateReads,
  group: Parameters<TakeGroup>[0],
  { changes, nowMs }: { readonly changes: PoolChanges; readonly nowMs: number },
): SubmitOutcome[] {
  const { number } = head();
  const fresh = new Map<Address, { readonly nonce: bigint; readonly balanceWei: bigint } | undefined>();
  return group.map(({ raw, found }) => {
    if (!found.ok) return found;
    const { ok: _, senderNonce, senderBalanceWei, ...fields } = found;
    if (!fresh.has(found.sender)) fresh.set(found.sender, native.account(found.sender, number));
    const state = fresh.get(found.sender) ?? { nonce: senderNonce, balanceWei: senderBalanceWei };
    const tx: PooledTx = { ...fields, raw, addedMs: nowMs };
    return addTx(pool, { tx, senderNonce: state.nonce, senderBalanceWei: state.balanceWei }, changes);
  });
}

/**
 * Per sender the first refused transaction ran after all its predecessors: when the state at the head still says that
 * it can run, nothing but dropping it lets its sender go on.
 */
function dropRefused(pool: TxPool, reads: StateReads, txs: readonly PooledTx[], changes: PoolChanges): void {
  const first = new Map<Address, PooledTx>();
  for (const tx of txs) if (!first.has(tx.sender)) first.set(tx.sender, tx);
  recheck(pool, statesOf(reads, pool, first.keys()), changes);
  for (const tx of first.values()) {
    const account = pool.accounts.get(tx.sender);
    const isExecutable = account?.txs.slice(0, account.executable).some((other) => other.hash === tx.hash) ?? false;
    if (isExecutable) dropUnexecutable(pool, tx.hash, changes);
  }
}
