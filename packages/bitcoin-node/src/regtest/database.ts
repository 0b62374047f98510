/** The database file of a regtest: its tables, its transactions, when the disk is waited for. */
import { closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS meta(name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS block(
    seq INTEGER PRIMARY KEY, hash BLOB NOT NULL UNIQUE, parent BLOB NOT NULL, height INTEGER NOT NULL,
    time INTEGER NOT NULL, invalid INTEGER NOT NULL, raw BLOB NOT NULL);
  CREATE INDEX IF NOT EXISTS block_height ON block(height, seq);
  CREATE INDEX IF NOT EXISTS block_parent ON block(parent);
  CREATE TABLE IF NOT EXISTS active(height INTEGER PRIMARY KEY, hash BLOB NOT NULL);
  CREATE TABLE IF NOT EXISTS confirmed(txid BLOB PRIMARY KEY, height INTEGER NOT NULL, position INTEGER NOT NULL) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS confirmed_height ON confirmed(height);
  CREATE TABLE IF NOT EXISTS coin(
    txid BLOB NOT NULL, vout INTEGER NOT NULL, value INTEGER NOT NULL, script BLOB NOT NULL, height INTEGER NOT NULL,
    coinbase INTEGER NOT NULL, spent_height INTEGER, PRIMARY KEY(txid, vout)) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS coin_height ON coin(height);
  CREATE INDEX IF NOT EXISTS coin_spent ON coin(spent_height) WHERE spent_height IS NOT NULL;
  CREATE INDEX IF NOT EXISTS coin_script ON coin(script, value) WHERE spent_height IS NULL;
  CREATE TABLE IF NOT EXISTS mempool(seq INTEGER PRIMARY KEY, txid BLOB NOT NULL UNIQUE, time INTEGER NOT NULL, raw BLOB NOT NULL);
`;

const FILE = "regtest.sqlite";

/** Whether a regtest was made in this directory. */
export function holdsDatabase(dir: string): boolean {
  return existsSync(join(dir, FILE));
}

/** Opens the database of one regtest, readable by its owner only; every commit is on disk when it returns. */
export function openDatabase(dir: string): DatabaseSync {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  // SQLite would make it readable by all; its journals take over the mode.
  closeSync(openSync(join(dir, FILE), "a", 0o600));
  const database = new DatabaseSync(join(dir, FILE));
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 2000;");
  database.exec(SCHEMA);
  return database;
}

/** Runs `work` in one transaction; an exception leaves the database as it was. */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    // SQLite itself takes a transaction back when the disk is full.
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

/** Runs `work` without waiting for the disk at every commit, and writes everything at its end. */
export function unsynced(database: DatabaseSync, work: () => void): void {
  database.exec("PRAGMA synchronous = OFF");
  try {
    work();
  } finally {
    database.exec("PRAGMA synchronous = FULL; PRAGMA wal_checkpoint(TRUNCATE);");
  }
}
