/**
 * One SQLite connection: opened with durable settings, migrated forward, prepared statements kept, transactions. Owns
 * no table's meaning.
 */
import { closeSync, openSync } from "node:fs";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";

/** A row by column name. */
export type Row = Readonly<Record<string, null | number | bigint | string | Uint8Array>>;

/** The database was written by a newer version of this software. */
export class StoreVersionError extends Error {
  override readonly name = "StoreVersionError";
}

/** The disk is full, failing or locked: nothing of the change remains, a later try may succeed. */
export class StoreUnavailableError extends Error {
  override readonly name: string = "StoreUnavailableError";
}

/** What served the store is gone for good: only a new start brings it back. */
export class StoreLostError extends StoreUnavailableError {
  override readonly name = "StoreLostError";
}

/** An open database. Every member throws `StoreUnavailableError` when the disk or another process is the reason. */
export interface Database {
  run(sql: string, ...values: SQLInputValue[]): number;
  get(sql: string, ...values: SQLInputValue[]): Row | undefined;
  all(sql: string, ...values: SQLInputValue[]): Row[];
  /** Runs `work` in one durable transaction; nothing of it remains when it throws. */
  transaction<T>(work: () => T): T;
  close(): void;
}

/**
 * Opens `file`: readable by its owner only, WAL, every commit synced to disk, foreign keys on. Migrates it forward:
 * `PRAGMA user_version` counts the applied migrations. Throws `StoreVersionError` when a newer version wrote it.
 */
export function openDatabase(file: string, migrations: readonly string[]): Database {
  // SQLite would make it readable by all; its journals take over the mode.
  closeSync(openSync(file, "a", 0o600));
  const connection = new DatabaseSync(file, { timeout: 5_000 });
  connection.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON");
  connection.exec("PRAGMA cache_size = -65536; PRAGMA wal_autocheckpoint = 4000; PRAGMA temp_store = MEMORY");
  const statements = new Map<string, StatementSync>();
  const prepare = (sql: string): StatementSync => {
    const known = statements.get(sql);
    if (known !== undefined) return known;
    const statement = connection.prepare(sql);
    statements.set(sql, statement);
    return statement;
  };
  const database: Database = {
    run: (sql, ...values) => attempt(() => Number(prepare(sql).run(...values).changes)),
    get: (sql, ...values) => attempt(() => prepare(sql).get(...values)),
    all: (sql, ...values) => attempt(() => prepare(sql).all(...values)),
    transaction: (work) => attempt(() => transaction(connection, work)),
    close: () => {
      statements.clear();
      connection.close();
    },
  };
  try {
    migrate(database, connection, migrations);
  } catch (error) {
    connection.close();
    throw error;
  }
  return database;
}

/** Primary result codes of SQLite that tell of the disk or of another process, not of the statement. */
const OUTSIDE_CAUSES: ReadonlyMap<number, string> = new Map([
  [5, "busy"],
  [6, "locked"],
  [7, "out of memory"],
  [8, "read-only"],
  [10, "I/O error"],
  [11, "corrupt"],
  [13, "disk full"],
  [14, "cannot be opened"],
  [26, "not a database"],
]);

function attempt<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    const { errcode } = error as { readonly errcode?: unknown };
    const cause = typeof errcode === "number" ? OUTSIDE_CAUSES.get(errcode & 0xff) : undefined;
    throw cause === undefined
      ? error
      : new StoreUnavailableError(`the store is not usable: ${cause}`, { cause: error });
  }
}

function transaction<T>(connection: DatabaseSync, work: () => T): T {
  connection.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    connection.exec("COMMIT");
    return result;
  } catch (error) {
    rollBack(connection);
    throw error;
  }
}

/** A disk that fails may refuse this as well: what was not committed is gone when the file is opened again. */
function rollBack(connection: DatabaseSync): void {
  try {
    if (connection.isTransaction) connection.exec("ROLLBACK");
  } catch {
    return;
  }
}

function migrate(database: Database, connection: DatabaseSync, migrations: readonly string[]): void {
  database.transaction(() => {
    const version = Number(database.get("PRAGMA user_version")?.user_version ?? 0);
    if (version > migrations.length) {
      throw new StoreVersionError(
        `the store has version ${version}, this software knows ${migrations.length}: start a newer version`,
      );
    }
    for (const sql of migrations.slice(version)) connection.exec(sql);
    connection.exec(`PRAGMA user_version = ${migrations.length}`);
  });
}
