/**
 * Owns the running transaction pool: admission in front of it, state reads for its steps, its timer, and telling what
 * became executable. The rules are the steps in `txpool/`.
 */
import type { AccountState, Head, Native } from "@cairn/native";
import { type Address, bytesToHex, type Hash, keccak256 } from "@cairn/primitives";
import { type Admission, createAdmission, type TakeGroup } from "./admission.ts";
import type { PendingEvent, PoolView, RestoredPool } from "./chain.ts";
import { createFeed, type Feed } from "./feed.ts";
import type { Log } from "./log.ts";
import { openJournal, type PoolJournal, readJournal } from "./pool-journal.ts";
import { poolView } from "./pool-view.ts";
import type { PooledTx } from "./pooled-tx.ts";
import type { SubmitOutcome } from "./submission.ts";
import { addTx } from "./txpool/add.ts";
import { type AccountAtHead, dropUnexecutable, expireQueued, recheck, stepHead } from "./txpool/head.ts";
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
  /** Path of the journal; absent: the pool ends with the process. */
  readonly journalFile?: string;
  readonly log: Log;
}

/** The running pool. */
export interface LivePool {
  readonly view: PoolView;
  submit(raw: Uint8Array): Promise<SubmitOutcome>;
  /** Resolves when every submission made so far is answered; `undefined` when all are. */
  settled(): Promise<void> | undefined;
  /** Submits what the journal holds and starts a new one. Once, before other submissions. */
  restore(): Promise<RestoredPool>;
  /** Spares the transactions of a sender of this node's own. */
  addLocal(sender: Address): void;
  has(hash: Hash): boolean;
  /** Changes whenever a transaction enters, leaves or becomes executable. */
  version(): number;
  /** The proposal's choice on the head. */
  select(limits: Omit<SelectLimits, "baseFeeWei">): readonly PooledTx[];
  hasTransactions(): boolean;
  /** Takes in the committed head; `changed` are the accounts its block changed. */
  committed(changed: Iterable<Address>): void;
  /** Takes in the transactions a dry run on the head refused, in selection order. */
  refused(txs: readonly PooledTx[]): void;
  onPending(listener: (event: PendingEvent) => void): () => void;
  onTransaction(listener: () => void): () => void;
  close(): Promise<void>;
}

/** Code hash of an account without code. */
const NO_CODE = bytesToHex(keccak256(new Uint8Array(0)));
const EXPIRY_INTERVAL_MS = 60_000;

/** Starts a pool; `close` ends its timer and admission. */
export function createLivePool(options: LivePoolOptions): LivePool {
  const { native, head, limits, minTipWei, clock, journalFile, log } = options;
  const pool = createTxPool(limits, minTipWei);
  const reads: StateReads = { native, head };
  const feeds = {
    pending: createFeed<PendingEvent>("pending", log),
    arrival: createFeed<void>("transaction", log),
  };
  let version = 0;
  const change = <T>(step: (changes: PoolChanges) => T): T => {
    version += 1;
    return settle(pool, feeds, step);
  };
  let journal: PoolJournal | undefined;
  const admission = createAdmission({
    native,
    take: (group) => change((changes) => takeGroup(pool, reads, group, { changes, nowMs: clock() })),
    keep: (raws) => journal?.append(raws),
  });
  const timer = setInterval(() => change((changes) => expireQueued(pool, clock(), changes)), EXPIRY_INTERVAL_MS);
  timer.unref();
  const selectNow = (bounds: Omit<SelectLimits, "baseFeeWei">) =>
    select(pool, { ...bounds, baseFeeWei: head().nextBaseFeePerGasWei });
  return {
    view: poolView(pool, reads, () => selectNow({ maxGas: head().gasLimit, maxBytes: 1n << 62n })),
    submit: (raw) => admission.submit(raw),
    settled: () => admission.settled(),
    async restore() {
      if (journalFile === undefined) return { read: 0, pooled: 0 };
      const restored = await replay(admission, journalFile);
      journal = await openJournal({ file: journalFile, live: () => liveRaws(pool), log });
      return restored;
    },
    addLocal: (sender) => void pool.locals.add(sender),
    has: (hash) => pool.byHash.has(hash),
    version: () => version,
    select: selectNow,
    hasTransactions: () => hasSelectable(pool, head().nextBaseFeePerGasWei),
    committed: (changed) => change((changes) => takeHead(pool, reads, changed, changes)),
    refused: (txs) => change((changes) => dropRefused(pool, reads, txs, changes)),
    onPending: (listener) => feeds.pending.on(listener),
    onTransaction: (listener) => feeds.arrival.on(listener),
    async close() {
      clearInterval(timer);
      await admission.close();
      await journal?.close();
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

function takeHead(pool: TxPool, reads: StateReads, changed: Iterable<Address>, changes: PoolChanges): void {
  stepHead(pool, statesOf(reads, pool, changed), changes);
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
  const fresh = new Map<Address, AccountState | undefined>();
  return group.map(({ raw, found }) => {
    if (!found.ok) return found;
    const { ok: _, senderNonce, senderBalanceWei, ...fields } = found;
    if (!fresh.has(found.sender)) fresh.set(found.sender, native.account(found.sender, number));
    const state = fresh.get(found.sender) ?? { nonce: senderNonce, balanceWei: senderBalanceWei, codeHash: NO_CODE };
    const { nonce, balanceWei, codeHash } = state;
    const tx: PooledTx = { ...fields, raw, addedMs: nowMs };
    const candidate = { tx, senderNonce: nonce, senderBalanceWei: balanceWei, senderDelegated: codeHash !== NO_CODE };
    return addTx(pool, candidate, changes);
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

async function replay(admission: Admission, file: string): Promise<RestoredPool> {
  let read = 0;
  let pooled = 0;
  for await (const raws of readJournal(file)) {
    const outcomes = await Promise.all(raws.map((raw) => admission.submit(raw)));
    read += outcomes.length;
    pooled += outcomes.filter((outcome) => outcome.ok).length;
  }
  return { read, pooled };
}

/** Per sender in nonce order, so that a replay finds no gaps. */
function liveRaws(pool: TxPool): readonly Uint8Array[] {
  return [...pool.accounts.values()].flatMap((account) => account.txs.map((tx) => tx.raw));
}
