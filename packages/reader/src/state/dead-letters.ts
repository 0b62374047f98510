/** Items that could not be decoded, or were refused for good: kept until an operator has replayed them. */
import type { DatabaseSync } from "node:sqlite";

/** Something that could not be taken for good, and why. */
export interface DeadLetter {
  readonly id: number;
  /** Key of the entry. */
  readonly chain: string;
  readonly height: bigint;
  /** -1 for a block. */
  readonly logIndex: number;
  /** Of the block; empty when it could not be read. */
  readonly hash: string;
  readonly code: string;
  readonly detail: string;
  readonly atMs: number;
  /** The refused submission's body; undefined where the item must be read again. */
  readonly body: string | undefined;
  readonly replayedMs: number | undefined;
  /** An operator has decided that it stays unsubmitted. */
  readonly discardedMs: number | undefined;
  readonly submissionId: string | undefined;
}

/** One as it is added. */
export type NewDeadLetter = Omit<DeadLetter, "id" | "replayedMs" | "discardedMs" | "submissionId">;

/** All of them, durable. */
export interface DeadLetters {
  /** Adds one; the same item for the same reason stays one letter, open again. */
  add(letter: NewDeadLetter): void;
  /** Those neither replayed nor discarded yet. */
  open(chain: string): number;
  /** A page in the order of their ids; `chain`: an entry's key, or its name. */
  list(filter: {
    readonly chain?: string;
    readonly all: boolean;
    readonly after: number;
    readonly limit: number;
  }): readonly DeadLetter[];
  get(id: number): DeadLetter | undefined;
  replayed(id: number, nowMs: number, submissionId: string | undefined): void;
  discard(id: number, nowMs: number): void;
}

/** Open letters of one entry, at the most: so many are no accident, and somebody has to look. */
export const MAX_OPEN_LETTERS = 100_000;

const OPEN = "replayed_ms IS NULL AND discarded_ms IS NULL";

/** The dead letters in a database. */
export function createDeadLetters(db: DatabaseSync): DeadLetters {
  const sql = statements(db);
  return {
    add({ chain, height, logIndex, hash, code, detail, atMs, body }) {
      sql.add.run(chain, height, logIndex, hash, code, detail, atMs, body ?? null);
    },
    open: (chain) => Number(sql.open.get(chain)?.n),
    list({ chain, all, after, limit }) {
      return sql.list.all(after, chain ?? null, all ? 1 : 0, limit).map(toLetter);
    },
    get(id) {
      const row = sql.get.get(id);
      return row === undefined ? undefined : toLetter(row);
    },
    replayed(id, nowMs, submissionId) {
      sql.replayed.run(nowMs, submissionId ?? null, id);
    },
    discard(id, nowMs) {
      sql.discard.run(nowMs, id);
    },
  };
}

function statements(db: DatabaseSync) {
  return {
    add: db.prepare(
      `INSERT INTO dead_letter (chain, height, log_index, hash, code, detail, at_ms, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (chain, height, log_index, hash, code) DO UPDATE SET detail = excluded.detail,
         at_ms = excluded.at_ms, body = excluded.body, replayed_ms = NULL, discarded_ms = NULL,
         submission_id = NULL`,
    ),
    open: db.prepare(`SELECT count(*) AS n FROM dead_letter WHERE chain = ? AND ${OPEN}`),
    list: db.prepare(
      `SELECT * FROM dead_letter WHERE id > ?1 AND (?2 IS NULL OR chain = ?2 OR chain = 'contract:' || ?2)
         AND (?3 = 1 OR (${OPEN})) ORDER BY id LIMIT ?4`,
    ),
    get: db.prepare("SELECT * FROM dead_letter WHERE id = ?"),
    discard: db.prepare("UPDATE dead_letter SET discarded_ms = ? WHERE id = ?"),
    replayed: db.prepare("UPDATE dead_letter SET replayed_ms = ?, submission_id = ? WHERE id = ?"),
  };
}

function toLetter(row: Readonly<Record<string, unknown>>): DeadLetter {
  return {
    id: Number(row.id),
    chain: String(row.chain),
    height: BigInt(Number(row.height)),
    logIndex: Number(row.log_index),
    hash: String(row.hash),
    code: String(row.code),
    detail: String(row.detail),
    atMs: Number(row.at_ms),
    body: typeof row.body === "string" ? row.body : undefined,
    replayedMs: typeof row.replayed_ms === "number" ? row.replayed_ms : undefined,
    discardedMs: typeof row.discarded_ms === "number" ? row.discarded_ms : undefined,
    submissionId: typeof row.submission_id === "string" ? row.submission_id : undefined,
  };
}
