/** The SQLite file under the block store: opening, locking, transactions, and failures as typed errors. */
import { closeSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { ConsensusError } from "./errors.ts";

/** A prepared statement by its text. */
export type Sql = (text: string) => StatementSync;

/** A value SQLite takes. */
export type SqlValue = bigint | number | string | Uint8Array;

/** An open database. Everything throws ConsensusError `storage`. */
export interface Database {
  /** The first row, if any. */
  row(text: string, ...values: SqlValue[]): Readonly<Record<string, unknown>> | undefined;
  rows(text: string, ...values: SqlValue[]): readonly Readonly<Record<string, unknown>>[];
  /** Runs writes as one durable transaction: all or nothing. */
  transaction(run: (sql: Sql) => void): void;
  close(): void;
}

const SQLITE_FULL = 13;

/** Runs something that touches the store; failures become ConsensusError `storage`. */
export function guarded<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof ConsensusError) throw error;
    const detail = error instanceof Error ? error.message : "unknown";
    const isFull = (error as { readonly errcode?: unknown }).errcode === SQLITE_FULL;
    const advice = isFull ? "; make room and start again, it goes on at the last committed block" : "";
    throw new ConsensusError("storage", `the block store failed: ${detail}${advice}`, { cause: error });
  }
}

/** Opens the file for this process alone: write-ahead log, every commit synced. */
function openFile(directory: string, schema: string): DatabaseSync {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const file = join(directory, "consensus.sqlite");
  // SQLite would make it readable by all; its journals take over the mode.
  closeSync(openSync(file, "a", 0o600));
  const db = new DatabaseSync(file);
  try {
    db.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
    db.exec("BEGIN EXCLUSIVE; COMMIT");
    db.exec(schema);
    return db;
  } catch (error) {
    db.close();
    const isLocked = error instanceof Error && /locked|busy/.test(error.message);
    if (isLocked) throw new ConsensusError("locked", "another process uses this data directory", { cause: error });
    throw error;
  }
}

/** Opens or creates a database with a schema. Throws ConsensusError `locked` or `storage`. */
export function openDatabase(directory: string, schema: string): Database {
  const db = guarded(() => openFile(directory, schema));
  const statements = new Map<string, StatementSync>();
  const sql: Sql = (text) => {
    const known = statements.get(text);
    if (known !== undefined) return known;
    const prepared = db.prepare(text);
    statements.set(text, prepared);
    return prepared;
  };
  return {
    row: (text, ...values) => guarded(() => sql(text).get(...values)),
    rows: (text, ...values) => guarded(() => sql(text).all(...values)),
    transaction: (run) =>
      guarded(() => {
        db.exec("BEGIN IMMEDIATE");
        try {
          run(sql);
          db.exec("COMMIT");
        } catch (error) {
          if (db.isTransaction) db.exec("ROLLBACK");
          throw error;
        }
      }),
    close: () => db.close(),
  };
}
