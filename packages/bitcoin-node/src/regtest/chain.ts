/**
 * The embedded node's chain: accepts blocks, follows the longest valid branch, keeps the mempool in step. Owns the
 * order of writes (one database transaction per change of tip); rules are in `rules.ts`.
 */
import type { DatabaseSync } from "node:sqlite";
import {
  type BitcoinBlock,
  type BitcoinHeader,
  type BitcoinTransaction,
  displayHash,
  equalBytes,
  headerHash,
  isCoinbase,
  parseHeader,
  parseTransaction,
  transactionId,
} from "@cairn/bitcoin";
import { type BlockRow, type ChainStore, createChainStore, storedBlock } from "./chain-store.ts";
import { inTransaction } from "./database.ts";
import { FAULT, RegtestFault } from "./fault.ts";
import { regtestGenesis } from "./genesis.ts";
import { Mempool, type MempoolCheck, type NextBlock } from "./mempool.ts";
import { checkBlockForm, checkBlockSpends } from "./rules.ts";

/** The chain with its mempool. Everything is synchronous and durable on return. */
export interface RegtestChain {
  readonly store: ChainStore;
  readonly mempool: Mempool;
  tip(): BlockRow;
  header(hash: Uint8Array): BitcoinHeader;
  next(): NextBlock;
  medianTime(hash: Uint8Array): number;
  /** null: accepted; else `duplicate`, `inconclusive` (a side branch) or the reject reason. */
  acceptBlock(block: BitcoinBlock): string | null;
  checkTransaction(tx: BitcoinTransaction): MempoolCheck;
  /** Throws `RegtestFault`. */
  addTransaction(tx: BitcoinTransaction): void;
  invalidate(hash: Uint8Array): void;
  reconsider(hash: Uint8Array): void;
}

const MAX_FUTURE_SECONDS = 7200;

/** Opens the chain on a database; an empty one gets block 0. `nowSeconds` is the clock. */
export function openChain(database: DatabaseSync, nowSeconds: () => number): RegtestChain {
  const store = createChainStore(database);
  const mempool = new Mempool(store);
  if (store.tip() === undefined) inTransaction(database, () => writeGenesis(store));
  const context: Context = { database, store, mempool, nowSeconds };
  reload(context);
  return {
    store,
    mempool,
    tip: () => tipOf(store),
    header: (hash) => headerOf(store, hash),
    next: () => nextBlock(store),
    medianTime: (hash) => medianTime(store, hash),
    acceptBlock: (block) => acceptBlock(context, block),
    checkTransaction: (tx) => mempool.check(tx, nextBlock(store), nowSeconds()),
    addTransaction: (tx) => addTransaction(context, tx),
    invalidate: (hash) => markBranch(context, hash, true),
    reconsider: (hash) => markBranch(context, hash, false),
  };
}

interface Context {
  readonly database: DatabaseSync;
  readonly store: ChainStore;
  readonly mempool: Mempool;
  readonly nowSeconds: () => number;
}

function writeGenesis(store: ChainStore): void {
  const genesis = regtestGenesis();
  store.insertBlock(genesis, 0, false);
  store.pushActive(genesis, 0);
}

function tipOf(store: ChainStore): BlockRow {
  const tip = store.tip();
  const row = tip === undefined ? undefined : store.block(tip.hash);
  if (row === undefined) throw new RangeError("the chain has no tip");
  return row;
}

function headerOf(store: ChainStore, hash: Uint8Array): BitcoinHeader {
  const raw = store.rawBlock(hash);
  if (raw === undefined) throw new RegtestFault(FAULT.notFound, "Block not found");
  return parseHeader(Uint8Array.from(raw.subarray(0, 80)));
}

function medianTime(store: ChainStore, hash: Uint8Array): number {
  const times: number[] = [];
  for (let row = store.block(hash); row !== undefined && times.length < 11; row = store.block(row.parent)) {
    times.push(row.time);
  }
  return times.sort((a, b) => a - b)[times.length >> 1] ?? 0;
}

function nextBlock(store: ChainStore): NextBlock {
  const tip = tipOf(store);
  return { height: tip.height + 1, medianTime: medianTime(store, tip.hash) };
}

function acceptBlock(context: Context, block: BitcoinBlock): string | null {
  const { store } = context;
  const hash = headerHash(block.header);
  const known = store.block(hash);
  if (known !== undefined) return known.invalid ? "duplicate-invalid" : "duplicate";
  const parent = store.block(block.header.previous);
  if (parent === undefined) return "prev-blk-not-found";
  if (parent.invalid) return "bad-prevblk";
  const earliest = medianTime(store, parent.hash) + 1;
  if (block.header.time < earliest) return "time-too-old";
  // Blocks faster than one in six seconds run ahead of the clock: the chain's own time must stay allowed.
  if (block.header.time > Math.max(context.nowSeconds(), earliest) + MAX_FUTURE_SECONDS) return "time-too-new";
  const fault = checkBlockForm(block, parent.height + 1);
  if (fault !== undefined) return fault;
  inTransaction(context.database, () => store.insertBlock(block, parent.height + 1, false));
  const reasons = followBest(context);
  const refused = reasons.get(displayHash(hash));
  if (refused !== undefined) return refused;
  return equalBytes(tipOf(store).hash, hash) ? null : "inconclusive";
}

// Moves the tip to the best candidate. A branch that turns out invalid is marked and the next best is tried.
function followBest(context: Context): Map<string, string> {
  const { store, database } = context;
  const reasons = new Map<string, string>();
  for (;;) {
    const best = store.bestCandidate();
    if (best === undefined || equalBytes(best.hash, tipOf(store).hash)) return reasons;
    const failure = new BranchFailure();
    try {
      inTransaction(database, () => switchTo(context, best, failure));
      return reasons;
    } catch (error) {
      reload(context);
      if (failure.hash === undefined || error !== failure) throw error;
      reasons.set(displayHash(failure.hash), failure.message);
      const { hash } = failure;
      inTransaction(database, () => markDescendants(store, hash, true));
    }
  }
}

class BranchFailure extends Error {
  hash: Uint8Array | undefined;
}

function switchTo(context: Context, best: BlockRow, failure: BranchFailure): void {
  const { store } = context;
  const branch: BlockRow[] = [];
  for (
    let row: BlockRow | undefined = best;
    row !== undefined && !isActive(store, row);
    row = store.block(row.parent)
  ) {
    branch.unshift(row);
  }
  const forkHeight = (branch[0]?.height ?? best.height + 1) - 1;
  const returned: BitcoinTransaction[] = [];
  for (let tip = tipOf(store); tip.height > forkHeight; tip = tipOf(store)) {
    returned.unshift(...(storedBlock(store, tip.hash)?.transactions ?? []).filter((tx) => !isCoinbase(tx)));
    store.popActive(tip.height);
    store.revertCoins(tip.height);
  }
  for (const row of branch) connect(store, row, failure);
  readmit(context, returned);
}

function connect(store: ChainStore, row: BlockRow, failure: BranchFailure): void {
  const block = storedBlock(store, row.hash);
  if (block === undefined) throw new RangeError("a block without bytes");
  const medianOfParent = medianTime(store, row.parent);
  const fault = checkBlockSpends(block, { coin: store.coin, height: row.height, medianTime: medianOfParent });
  if (fault !== undefined) {
    failure.hash = row.hash;
    failure.message = fault;
    throw failure;
  }
  store.applyCoins(block, row.height);
  store.pushActive(block, row.height);
}

function isActive(store: ChainStore, row: BlockRow): boolean {
  const active = store.activeHash(row.height);
  return active !== undefined && equalBytes(active, row.hash);
}

// Transactions of abandoned blocks come first: waiting ones may spend from them. What no longer fits is dropped.
function readmit(context: Context, returned: readonly BitcoinTransaction[]): void {
  const { store, mempool } = context;
  const waiting = mempool.entries();
  if (waiting.length === 0 && returned.length === 0) return;
  const now = context.nowSeconds();
  const candidates = [...returned.map((tx) => ({ tx, time: now })), ...waiting];
  for (const { txid } of waiting) mempool.remove(txid);
  const next = nextBlock(store);
  for (const { tx, time } of candidates) {
    if (store.confirmed(transactionId(tx)) !== undefined) continue;
    const check = mempool.check(tx, next, time);
    if (check.ok) mempool.add(check);
  }
}

// Memory follows the database: at the start, and after a rollback.
function reload(context: Context): void {
  const { store, mempool } = context;
  mempool.forget();
  const stored = store.storedMempool().map(({ raw, time }) => ({ tx: parseTransaction(raw), time }));
  inTransaction(context.database, () => {
    for (const { tx } of stored) store.unstoreMempool(transactionId(tx));
    const next = nextBlock(store);
    for (const { tx, time } of stored) {
      const check = mempool.check(tx, next, time);
      if (check.ok) mempool.add(check);
    }
  });
}

function addTransaction(context: Context, tx: BitcoinTransaction): void {
  const { store, mempool } = context;
  if (store.confirmed(transactionId(tx)) !== undefined) {
    throw new RegtestFault(FAULT.alreadyInChain, "Transaction outputs already in utxo set");
  }
  const check = mempool.check(tx, nextBlock(store), context.nowSeconds());
  if (!check.ok) throw new RegtestFault(check.code, check.reason);
  inTransaction(context.database, () => mempool.add(check));
}

function markBranch(context: Context, hash: Uint8Array, invalid: boolean): void {
  const { store, database } = context;
  const row = store.block(hash);
  if (row === undefined) throw new RegtestFault(FAULT.notFound, "Block not found");
  if (row.height === 0) throw new RegtestFault(FAULT.invalidParameter, "The genesis block stays");
  inTransaction(database, () => {
    markDescendants(store, hash, invalid);
    if (!invalid) markAncestorsValid(store, row);
  });
  followBest(context);
}

function markDescendants(store: ChainStore, hash: Uint8Array, invalid: boolean): void {
  const open = [hash];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    store.markInvalid(next, invalid);
    for (const child of store.children(next)) open.push(child.hash);
  }
}

function markAncestorsValid(store: ChainStore, row: BlockRow): void {
  for (let at = store.block(row.parent); at?.invalid === true; at = store.block(at.parent)) {
    store.markInvalid(at.hash, false);
  }
}
