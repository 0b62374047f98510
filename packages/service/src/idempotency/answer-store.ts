/**
 * Answers kept for repeats, in `delivery.db`: 24 hours, and of each account only the newest within a count and a number
 * of bytes. Keys are kept as hashes, bodies sealed under their keys. Owns no decision about a request.
 */
import { createHash } from "node:crypto";
import { blob, type Database, integer, text } from "@cairn/aggregator";
import { openBody, sealBody } from "./sealed-body.ts";

/** An answer as it was sent. */
export interface StoredAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A kept answer and the request it belongs to. */
export interface KeptAnswer {
  readonly fingerprint: Uint8Array;
  readonly answer: StoredAnswer;
}

/** Bounds of what is kept. */
export interface AnswerLimits {
  readonly keptMs: number;
  /** Of one account. */
  readonly answers: number;
  /** Of one account, bodies only. */
  readonly bytes: number;
}

/** What the service keeps. */
export const ANSWER_LIMITS: AnswerLimits = { keptMs: 24 * 3_600_000, answers: 100_000, bytes: 64 * 1024 * 1024 };

/** The kept answers. */
export interface AnswerStore {
  find(account: string, key: string, nowMs: number): KeptAnswer | undefined;
  /** Inside a transaction of the caller. */
  put(account: string, key: string, kept: KeptAnswer, nowMs: number): void;
  /** Removes what is older than the limit. */
  prune(nowMs: number): void;
  /** Counts again what is kept: after a transaction that failed. */
  recount(): void;
}

interface Held {
  answers: number;
  bytes: number;
}

/** The store over an open database. */
export function createAnswerStore(database: Database, limits: AnswerLimits = ANSWER_LIMITS): AnswerStore {
  const held = new Map<string, Held>();
  const forget = (condition: string, ...values: (string | number | Uint8Array)[]): void => {
    const gone = database.all(
      `DELETE FROM idempotency WHERE ${condition} RETURNING account, length(body) AS size`,
      ...values,
    );
    for (const row of gone) add(held, text(row, "account"), -1, -integer(row, "size"));
  };
  const makeRoom = (account: string): void => {
    for (let own = held.get(account); own !== undefined && isOver(own, limits); own = held.get(account)) {
      const row = database.get("SELECT min(seq) AS seq FROM idempotency WHERE account = ?", account);
      if (row === undefined || row.seq === null) return;
      forget("seq = ?", integer(row, "seq"));
    }
  };
  const recount = (): void => {
    held.clear();
    const totals = "SELECT account, count(*) AS answers, sum(length(body)) AS bytes FROM idempotency GROUP BY account";
    for (const row of database.all(totals)) {
      add(held, text(row, "account"), integer(row, "answers"), integer(row, "bytes"));
    }
  };
  recount();
  return {
    recount,
    find: (account, key, nowMs) => {
      const row = database.get(
        "SELECT * FROM idempotency WHERE account = ? AND key_hash = ? AND created_at > ?",
        ...[account, hashOf(key), nowMs - limits.keptMs],
      );
      if (row === undefined) return undefined;
      const body = openBody(key, blob(row, "body"));
      const answer = { status: integer(row, "status"), headers: JSON.parse(text(row, "headers")), body };
      return { fingerprint: blob(row, "fingerprint"), answer };
    },
    put: (account, key, { fingerprint, answer }, nowMs) => {
      const body = sealBody(key, answer.body);
      if (body.length > limits.bytes) return;
      const hash = hashOf(key);
      // An answer that is too old to be found makes room for the new one.
      forget("account = ? AND key_hash = ?", account, hash);
      database.run(
        `INSERT INTO idempotency (account, key_hash, fingerprint, status, headers, body, created_at)
         VALUES (?, ?, ?, ?, ?, ?, ?)`,
        ...[account, hash, fingerprint, answer.status, JSON.stringify(answer.headers), body, nowMs],
      );
      add(held, account, 1, body.length);
      makeRoom(account);
    },
    prune: (nowMs) => forget("created_at <= ?", nowMs - limits.keptMs),
  };
}

function add(held: Map<string, Held>, account: string, answers: number, bytes: number): void {
  const own = held.get(account) ?? { answers: 0, bytes: 0 };
  if (own.answers + answers <= 0) held.delete(account);
  else held.set(account, { answers: own.answers + answers, bytes: own.bytes + bytes });
}

function isOver(own: Held, limits: AnswerLimits): boolean {
  return own.answers > limits.answers || own.bytes > limits.bytes;
}

function hashOf(key: string): Buffer {
  return createHash("sha256").update(key).digest();
}
