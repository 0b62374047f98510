/**
 * Pushed block numbers, durable from the answer on.
 *
 *   queued           --height above the head-->   waiting_for_head
 *   queued, waiting  --submitted-->               submitted
 *   queued, waiting  --nothing in the block-->    empty
 *   queued, waiting  --refused for good-->        dead
 *   waiting_for_head --time to live over-->       expired
 *   expired          --pushed again-->            queued
 *
 * What the chain has is never given up for time: a service that is away, or a finality rule, may take longer. A push that
 * fails waits its own time; the others are not held up.
 */
import type { DatabaseSync } from "node:sqlite";

/** `empty`: the block has no events. `expired`: the chain did not reach the height in time. */
export type PushStatus = "queued" | "waiting_for_head" | "submitted" | "empty" | "dead" | "expired";

/** A pushed height on its way. */
export interface Push {
  readonly id: string;
  /** Key of the entry. */
  readonly chain: string;
  readonly height: bigint;
  readonly status: PushStatus;
  readonly expiresMs: number;
  readonly attempts: number;
  /** Of the last item of the block; undefined before, and for a block without items. */
  readonly submissionId: string | undefined;
  /** Why it has not been submitted (yet); with `submitted`: a remark. A change of status replaces it. */
  readonly error: string | undefined;
}

/** What a step changes of a push. */
export interface PushChange {
  readonly status?: PushStatus;
  readonly submissionId?: string;
  readonly error?: string;
  /** Another failed attempt; not tried before this time. */
  readonly failedUntilMs?: number;
}

/** Pushes waiting at the most, of one entry … */
export const MAX_WAITING = 10_000;
/** … and over all of them. */
export const MAX_WAITING_ALTOGETHER = 100_000;
/** A failed push that would wait longer has a time of another clock: the machine's was set back. */
const LONGEST_WAIT_MS = 60_000;
/** Ended pushes remembered; older ones are forgotten. */
const MAX_ENDED = 100_000;

/** All of them, durable. */
export interface Pushes {
  add(push: Pick<Push, "id" | "chain" | "height" | "expiresMs">): void;
  /** An expired one begins again. */
  renew(id: string, expiresMs: number): void;
  get(id: string): Push | undefined;
  update(id: string, change: PushChange): void;
  /** The lowest push of an entry that is due at or below a height. */
  next(chain: string, height: bigint, nowMs: number): Push | undefined;
  /** Marks those above the head, and ends those of them whose time is over; returns how many ended. */
  sweep(chain: string, head: bigint, nowMs: number): number;
  /** Pushes waiting: of one entry, or of all. */
  waiting(chain?: string): number;
}

const WAITING = "status IN ('queued', 'waiting_for_head')";

/** The pushes in a database. */
export function createPushes(db: DatabaseSync): Pushes {
  const sql = statements(db);
  return {
    add({ id, chain, height, expiresMs }) {
      sql.add.run(id, chain, height, expiresMs);
      sql.forget.run(MAX_ENDED);
    },
    renew(id, expiresMs) {
      sql.renew.run(expiresMs, id);
    },
    get: (id) => toPush(sql.get.get(id)),
    update(id, change) {
      const { status = null, submissionId = null, error = null, failedUntilMs } = change;
      sql.update.run(status, submissionId, error, failedUntilMs === undefined ? 0 : 1, failedUntilMs ?? null, id);
    },
    next: (chain, height, nowMs) => toPush(sql.next.get(chain, height, nowMs)),
    sweep(chain, head, nowMs) {
      sql.above.run(chain, head);
      sql.reached.run(chain, head);
      return Number(sql.expire.run(chain, nowMs).changes);
    },
    waiting: (chain) => Number((chain === undefined ? sql.waiting.get() : sql.waitingOf.get(chain))?.n),
  };
}

function statements(db: DatabaseSync) {
  return {
    add: db.prepare("INSERT INTO push (id, chain, height, status, expires_ms) VALUES (?, ?, ?, 'queued', ?)"),
    forget: db.prepare(
      `DELETE FROM push WHERE NOT (${WAITING}) AND expires_ms <=
         (SELECT expires_ms FROM push WHERE NOT (${WAITING}) ORDER BY expires_ms DESC LIMIT 1 OFFSET ?)`,
    ),
    renew: db.prepare("UPDATE push SET status = 'queued', expires_ms = ?, attempts = 0, next_ms = 0 WHERE id = ?"),
    get: db.prepare("SELECT * FROM push WHERE id = ?"),
    update: db.prepare(
      `UPDATE push SET status = coalesce(?1, status), submission_id = coalesce(?2, submission_id),
         error = CASE WHEN ?1 IS NULL THEN coalesce(?3, error) ELSE ?3 END, attempts = attempts + ?4, next_ms = coalesce(?5, next_ms) WHERE id = ?6`,
    ),
    next: db.prepare(
      `SELECT * FROM push WHERE chain = ?1 AND ${WAITING} AND height <= ?2
         AND (next_ms <= ?3 OR next_ms > ?3 + ${LONGEST_WAIT_MS}) ORDER BY height LIMIT 1`,
    ),
    above: db.prepare(
      `UPDATE push SET status = 'waiting_for_head' WHERE chain = ? AND status = 'queued' AND height > ?`,
    ),
    reached: db.prepare(
      `UPDATE push SET status = 'queued' WHERE chain = ? AND status = 'waiting_for_head' AND height <= ?`,
    ),
    expire: db.prepare(
      `UPDATE push SET status = 'expired' WHERE chain = ? AND status = 'waiting_for_head' AND expires_ms <= ?`,
    ),
    waiting: db.prepare(`SELECT count(*) AS n FROM push WHERE ${WAITING}`),
    waitingOf: db.prepare(`SELECT count(*) AS n FROM push WHERE chain = ? AND ${WAITING}`),
  };
}

function toPush(row: Readonly<Record<string, unknown>> | undefined): Push | undefined {
  if (row === undefined) return undefined;
  return {
    id: String(row.id),
    chain: String(row.chain),
    height: BigInt(Number(row.height)),
    status: row.status as PushStatus,
    expiresMs: Number(row.expires_ms),
    attempts: Number(row.attempts),
    submissionId: typeof row.submission_id === "string" ? row.submission_id : undefined,
    error: typeof row.error === "string" ? row.error : undefined,
  };
}
