/**
 * The reader's own durable state beside the cursor files: the ring of recent hashes per chain, the pushed block
 * numbers and the dead letters. SQLite, synchronous = FULL: what returned is on disk.
 */
import { closeSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Hash } from "@cairn/primitives";

/** A block that was taken. */
export interface TakenBlock {
  readonly height: bigint;
  readonly hash: Hash;
  /** Where its hash was submitted; `undefined` when only followed. */
  readonly submissionId: string | undefined;
}

export type PushStatus = "queued" | "waiting_for_head" | "submitted" | "dead" | "expired";

export interface Push {
  readonly id: string;
  readonly chain: string;
  readonly height: bigint;
  readonly status: PushStatus;
  readonly expiresMs: number;
  readonly submissionId: string | undefined;
  readonly error: string | undefined;
}

/** Blocks kept per chain: the deepest reorganisation that can be followed. */
export const RING_LENGTH = 256;
/** Pushes waiting at the most, over all chains. */
export const MAX_WAITING = 10_000;

const SCHEMA = `
CREATE TABLE IF NOT EXISTS ring (
  chain TEXT NOT NULL, height INTEGER NOT NULL, hash TEXT NOT NULL, submission_id TEXT, PRIMARY KEY (chain, height)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS push (
  id TEXT PRIMARY KEY, chain TEXT NOT NULL, height INTEGER NOT NULL, status TEXT NOT NULL, expires_ms INTEGER NOT NULL,
  submission_id TEXT, error TEXT
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS push_waiting ON push (chain, height) WHERE status IN ('queued', 'waiting_for_head');
CREATE TABLE IF NOT EXISTS dead_letter (
  id INTEGER PRIMARY KEY, chain TEXT NOT NULL, height INTEGER NOT NULL, hash TEXT NOT NULL, code TEXT NOT NULL,
  at_ms INTEGER NOT NULL
);`;

export interface StateStore {
  taken(chain: string, height: bigint): TakenBlock | undefined;
  /** Adds or replaces a block and forgets what is older than the ring. */
  take(chain: string, block: TakenBlock): void;
  addPush(push: Push): void;
  push(id: string): Push | undefined;
  updatePush(id: string, change: Partial<Pick<Push, "status" | "submissionId" | "error">>): void;
  /** The lowest waiting push of a chain. */
  nextPush(chain: string): Push | undefined;
  waitingPushes(): number;
  addDeadLetter(letter: { chain: string; height: bigint; hash: Hash; code: string; atMs: number }): void;
  deadLetters(chain: string): number;
  close(): void;
}

/** Opens `reader.db` in a directory, creating both for their owner only. */
export function openStateStore(dir: string): StateStore {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const file = join(dir, "reader.db");
  // SQLite would make it readable by all; its journals take over the mode.
  closeSync(openSync(file, "a", 0o600));
  const db = new DatabaseSync(file);
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 5000;");
  db.exec(SCHEMA);
  const sql = statements(db);
  return {
    taken(chain, height) {
      const row = sql.taken.get(chain, height);
      return row === undefined ? undefined : { height, hash: row.hash as Hash, submissionId: text(row.submission_id) };
    },
    take(chain, block) {
      sql.take.run(chain, block.height, block.hash, block.submissionId ?? null);
      sql.forget.run(chain, block.height - BigInt(RING_LENGTH));
    },
    addPush(push) {
      sql.addPush.run(push.id, push.chain, push.height, push.status, push.expiresMs);
    },
    push: (id) => toPush(sql.push.get(id)),
    updatePush(id, change) {
      sql.updatePush.run(change.status ?? null, change.submissionId ?? null, change.error ?? null, id);
    },
    nextPush: (chain) => toPush(sql.nextPush.get(chain)),
    waitingPushes: () => Number(sql.waiting.get()?.n),
    addDeadLetter(letter) {
      sql.addDead.run(letter.chain, letter.height, letter.hash, letter.code, letter.atMs);
    },
    deadLetters: (chain) => Number(sql.dead.get(chain)?.n),
    close: () => db.close(),
  };
}

function statements(db: DatabaseSync) {
  const waiting = "status IN ('queued', 'waiting_for_head')";
  return {
    taken: db.prepare("SELECT hash, submission_id FROM ring WHERE chain = ? AND height = ?"),
    take: db.prepare("INSERT OR REPLACE INTO ring (chain, height, hash, submission_id) VALUES (?, ?, ?, ?)"),
    forget: db.prepare("DELETE FROM ring WHERE chain = ? AND height <= ?"),
    addPush: db.prepare("INSERT INTO push (id, chain, height, status, expires_ms) VALUES (?, ?, ?, ?, ?)"),
    push: db.prepare("SELECT * FROM push WHERE id = ?"),
    updatePush: db.prepare(
      `UPDATE push SET status = coalesce(?, status), submission_id = coalesce(?, submission_id), error = coalesce(?, error)
       WHERE id = ?`,
    ),
    nextPush: db.prepare(`SELECT * FROM push WHERE chain = ? AND ${waiting} ORDER BY height LIMIT 1`),
    waiting: db.prepare(`SELECT count(*) AS n FROM push WHERE ${waiting}`),
    addDead: db.prepare("INSERT INTO dead_letter (chain, height, hash, code, at_ms) VALUES (?, ?, ?, ?, ?)"),
    dead: db.prepare("SELECT count(*) AS n FROM dead_letter WHERE chain = ?"),
  };
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function toPush(row: Readonly<Record<string, unknown>> | undefined): Push | undefined {
  if (row === undefined) return undefined;
  return {
    id: String(row.id),
    chain: String(row.chain),
    height: BigInt(Number(row.height)),
    status: row.status as PushStatus,
    expiresMs: Number(row.expires_ms),
    submissionId: text(row.submission_id),
    error: text(row.error),
  };
}
