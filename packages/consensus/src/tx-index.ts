/**
 * Where a transaction is, by its hash and by the keys its application gives it. A row holds 48 bits of the hash, so a lookup gives candidates to compare. Rows
 * are kept in epochs of bounded size: a block's random hashes then touch the pages of one epoch, not of the whole
 * index, and a lookup probes each epoch once.
 */
import { hash } from "node:crypto";
import type { ExecTxResult } from "@cairn/abci";
import type { Database, Sql } from "./database.ts";

const EPOCH_ROWS = 32_768;

/** Says what an application's transactions are found by, beside their hash. Implemented by who knows their meaning. */
export interface TxKeysPort {
  /** Keys of one transaction. */
  keys(result: ExecTxResult): readonly string[];
  /** The key under which all stand that may have this text under this composite key; undefined when there is none. */
  keyOf(tag: string, text: string): string | undefined;
}

function tables(name: string): string {
  return `
  CREATE TABLE IF NOT EXISTS ${name}_epochs (epoch INTEGER PRIMARY KEY, amount INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS ${name} (
    epoch INTEGER NOT NULL, prefix INTEGER NOT NULL, height INTEGER NOT NULL, position INTEGER NOT NULL,
    PRIMARY KEY (epoch, prefix, height, position)) WITHOUT ROWID, STRICT;
`;
}

/** Tables of the index. */
export const TX_INDEX_SCHEMA = tables("tx_index") + tables("tx_keys");

type IndexName = "tx_index" | "tx_keys";

/** Where a transaction may be; to be compared with the block's transaction. */
export interface TxCandidate {
  readonly height: bigint;
  readonly index: number;
}

/** Part of the rows of a key: heights from and to, both inclusive, after a place in the order. */
export interface KeyRange {
  readonly from: bigint;
  readonly to: bigint;
  readonly after?: TxCandidate;
  readonly isDescending: boolean;
  readonly limit: number;
}

/** First 48 bits of a hash: exact as a number. */
function prefixOf(hash: Uint8Array): number {
  return Buffer.from(hash.buffer, hash.byteOffset, hash.length).readUIntBE(0, 6);
}

function prefixOfKey(key: string): number {
  return Number.parseInt(hash("sha256", key).slice(0, 12), 16);
}

function addRows(sql: Sql, name: IndexName, height: bigint, rows: readonly (readonly [number, number])[]): void {
  if (rows.length === 0) return;
  const last = sql(`SELECT epoch, amount FROM ${name}_epochs ORDER BY epoch DESC LIMIT 1`).get();
  const isFull = last === undefined || Number(last.amount) >= EPOCH_ROWS;
  const epoch = Number(last?.epoch ?? 0) + (isFull ? 1 : 0);
  const put = sql(`INSERT OR IGNORE INTO ${name} VALUES (?, ?, ?, ?)`);
  const at = Number(height);
  for (const [prefix, position] of rows) put.run(epoch, prefix, at, position);
  const amount = (isFull ? 0 : Number(last.amount)) + rows.length;
  sql(`INSERT OR REPLACE INTO ${name}_epochs VALUES (?, ?)`).run(epoch, amount);
}

/** Adds a block's transactions, inside a transaction of the database. */
export function indexTxs(sql: Sql, height: bigint, txHashes: readonly Uint8Array[]): void {
  addRows(
    sql,
    "tx_index",
    height,
    txHashes.map((txHash, index) => [prefixOf(txHash), index]),
  );
}

/** Adds the keys of a block's transactions, inside a transaction of the database. */
export function indexKeys(sql: Sql, height: bigint, keys: readonly (readonly string[])[]): void {
  const rows = keys.flatMap((own, index) => own.map((key) => [prefixOfKey(key), index] as const));
  addRows(sql, "tx_keys", height, rows);
}

function toCandidate(row: Readonly<Record<string, unknown>>): TxCandidate {
  return { height: BigInt(Number(row.height)), index: Number(row.position) };
}

/** Candidates for a hash, newest first. */
export function locateTx(db: Database, txHash: Uint8Array): readonly TxCandidate[] {
  const text = `
    SELECT t.height, t.position FROM tx_index_epochs e CROSS JOIN tx_index t ON t.epoch = e.epoch AND t.prefix = ?
    ORDER BY t.height DESC, t.position DESC`;
  return db.rows(text, prefixOf(txHash)).map(toCandidate);
}

/** Candidates for a key in the order of the chain or against it. Epochs follow the heights, so nothing is sorted. */
export function locateKey(db: Database, key: string, range: KeyRange): readonly TxCandidate[] {
  const order = range.isDescending ? "DESC" : "ASC";
  const beyond = range.isDescending ? "<" : ">";
  const start = range.after ?? { height: range.isDescending ? range.to + 1n : range.from - 1n, index: -1 };
  const text = `
    SELECT t.height, t.position FROM tx_keys_epochs e CROSS JOIN tx_keys t ON t.epoch = e.epoch AND t.prefix = ?
    WHERE t.height BETWEEN ? AND ? AND (t.height, t.position) ${beyond} (?, ?)
    ORDER BY e.epoch ${order}, t.height ${order}, t.position ${order} LIMIT ?`;
  const { from, to, limit } = range;
  return db.rows(text, prefixOfKey(key), from, to, start.height, start.index, limit).map(toCandidate);
}
