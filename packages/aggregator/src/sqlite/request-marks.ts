/**
 * Which keyed request stored what, written in the transaction that stores it: a repeat of a request whose answer was
 * lost is told from another request for the same content. Kept as long as such a request may be repeated.
 */
import type { Database } from "./database.ts";

const KEPT_MS = 24 * 3_600_000;

/** Notes that a request stored a subject. The caller owns the transaction. */
export function markRequest(database: Database, request: Uint8Array, subject: Uint8Array, nowMs: number): void {
  database.run("DELETE FROM request_marks WHERE at <= ?", nowMs - KEPT_MS);
  database.run(
    "INSERT INTO request_marks (request, subject, at) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET at = excluded.at",
    ...[request, subject, nowMs],
  );
}

/** Did this very request store the subject? */
export function isMarked(database: Database, request: Uint8Array, subject: Uint8Array, nowMs: number): boolean {
  const sql = "SELECT 1 AS known FROM request_marks WHERE request = ? AND subject = ? AND at > ?";
  return database.get(sql, request, subject, nowMs - KEPT_MS) !== undefined;
}
