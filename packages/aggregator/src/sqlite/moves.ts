/**
 * Moving rows of `submissions` along the edges of the life table, each with its event row. Callers own the
 * transaction.
 */
import { type SubmissionEvent, type SubmissionState, submissionEdge } from "../submission-life.ts";
import type { Database } from "./database.ts";

/** Writes the event row of a state reached. */
export function writeEvent(database: Database, seq: number, state: SubmissionState, nowMs: number): void {
  database.run("INSERT INTO events (submission, state, at) VALUES (?, ?, ?)", seq, state, nowMs);
}

/** Moves one row; false when it is not in the event's starting state. */
export function moveOne(database: Database, seq: number, event: SubmissionEvent, nowMs: number): boolean {
  const { from, to } = submissionEdge(event);
  const changes = database.run(
    "UPDATE submissions SET state = ?, version = version + 1, updated_at = ? WHERE seq = ? AND state = ?",
    to,
    nowMs,
    seq,
    from,
  );
  if (changes === 1) writeEvent(database, seq, to, nowMs);
  return changes === 1;
}

/** Moves every row of a batch that is in the event's starting state. */
export function moveBatch(database: Database, batch: number, event: SubmissionEvent, nowMs: number): void {
  const { from, to } = submissionEdge(event);
  database.run(
    "INSERT INTO events (submission, state, at) SELECT seq, ?, ? FROM submissions WHERE batch_number = ? AND state = ?",
    to,
    nowMs,
    batch,
    from,
  );
  database.run(
    "UPDATE submissions SET state = ?, version = version + 1, updated_at = ? WHERE batch_number = ? AND state = ?",
    to,
    nowMs,
    batch,
    from,
  );
}
