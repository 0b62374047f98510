/** Tables of the reader's state and their forward migrations. */
import type { DatabaseSync } from "node:sqlite";

/** Each brings the database one version further; the first is what stood before versions were counted. */
const MIGRATIONS: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS ring (
     chain TEXT NOT NULL, height INTEGER NOT NULL, hash TEXT NOT NULL, submission_id TEXT, PRIMARY KEY (chain, height)
   ) WITHOUT ROWID;
   CREATE TABLE IF NOT EXISTS push (
     id TEXT PRIMARY KEY, chain TEXT NOT NULL, height INTEGER NOT NULL, status TEXT NOT NULL,
     expires_ms INTEGER NOT NULL, submission_id TEXT, error TEXT
   ) WITHOUT ROWID;
   CREATE INDEX IF NOT EXISTS push_waiting ON push (chain, height) WHERE status IN ('queued', 'waiting_for_head');
   CREATE TABLE IF NOT EXISTS dead_letter (
     id INTEGER PRIMARY KEY, chain TEXT NOT NULL, height INTEGER NOT NULL, hash TEXT NOT NULL, code TEXT NOT NULL,
     at_ms INTEGER NOT NULL
   );`,
  `CREATE TABLE sent (
     seq INTEGER PRIMARY KEY, chain TEXT NOT NULL, height INTEGER NOT NULL, log_index INTEGER NOT NULL,
     hash TEXT NOT NULL, value TEXT NOT NULL, submission_id TEXT NOT NULL, orphaned INTEGER NOT NULL DEFAULT 0
   );
   CREATE UNIQUE INDEX sent_item ON sent (chain, height, log_index, hash, value);
   INSERT INTO sent (chain, height, log_index, hash, value, submission_id)
     SELECT chain, height, -1, hash, hash, submission_id FROM ring WHERE submission_id IS NOT NULL;
   ALTER TABLE ring DROP COLUMN submission_id;
   ALTER TABLE push ADD COLUMN attempts INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE push ADD COLUMN next_ms INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE dead_letter ADD COLUMN log_index INTEGER NOT NULL DEFAULT -1;
   ALTER TABLE dead_letter ADD COLUMN detail TEXT NOT NULL DEFAULT '';
   ALTER TABLE dead_letter ADD COLUMN body TEXT;
   ALTER TABLE dead_letter ADD COLUMN replayed_ms INTEGER;
   ALTER TABLE dead_letter ADD COLUMN submission_id TEXT;
   CREATE UNIQUE INDEX dead_letter_item ON dead_letter (chain, height, log_index, hash, code);
   CREATE TABLE identity (chain TEXT PRIMARY KEY, told TEXT NOT NULL) WITHOUT ROWID;
   CREATE TABLE backfill (
     chain TEXT NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL, next INTEGER NOT NULL,
     PRIMARY KEY (chain, first, last)
   ) WITHOUT ROWID;`,
  `ALTER TABLE dead_letter ADD COLUMN discarded_ms INTEGER;`,
];

/** The state was written by a later version of this program. */
export class StateTooNewError extends Error {
  readonly code = "state-too-new";
  override readonly name = "StateTooNewError";
}

/** Brings a database to this version, each step in one transaction. Throws StateTooNewError. */
export function migrate(db: DatabaseSync): void {
  const version = Number(db.prepare("PRAGMA user_version").get()?.user_version);
  if (version > MIGRATIONS.length) {
    throw new StateTooNewError(
      "reader.db was written by a later version of cairn; use that one, or another --state-dir",
    );
  }
  for (let next = version; next < MIGRATIONS.length; next += 1) {
    db.exec("BEGIN IMMEDIATE");
    try {
      db.exec(MIGRATIONS[next] ?? "");
      db.exec(`PRAGMA user_version = ${next + 1}`);
      db.exec("COMMIT");
    } catch (error) {
      db.exec("ROLLBACK");
      throw error;
    }
  }
}
