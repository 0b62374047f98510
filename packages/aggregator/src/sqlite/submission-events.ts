/** `EventStore` on SQLite. */
import type { EventPage, EventStore, SubmissionEventRecord } from "../submission-events.ts";
import { SUBMISSION_STATES } from "../submission-life.ts";
import { hex, integer, oneOf, optional, text } from "./columns.ts";
import type { Database, Row } from "./database.ts";

/** Events looked at in one call, whoever's they are. */
const SCANNED = 4_000;

/** The event part of the store. */
export function eventStore(database: Database): EventStore {
  const lastEvent = (): number => {
    const row = database.get("SELECT max(seq) AS seq FROM events");
    return row === undefined ? 0 : (optional(row, "seq", integer) ?? 0);
  };
  return {
    lastEvent: async () => lastEvent(),
    events: async ({ after, limit, account }): Promise<EventPage> => {
      const to = Math.min(lastEvent(), after + SCANNED);
      const rows = database.all(
        `SELECT e.seq AS event, e.state AS event_state, e.at, s.seq, s.id, s.account, s.chain_id, s.chain_key,
           s.block_number, s.external_id, s.state, s.error_code, s.error_detail,
           (SELECT o.id FROM submissions o WHERE o.seq = s.duplicate_of) AS original_id
         FROM events e JOIN submissions s ON s.seq = e.submission
         WHERE e.seq > ? AND e.seq <= ? ${account === undefined ? "" : "AND +s.account = ?"} ORDER BY e.seq LIMIT ?`,
        ...[after, to, ...(account === undefined ? [] : [account]), limit],
      );
      const events = rows.map(readEvent);
      const last = events.at(-1);
      return { events, to: last !== undefined && events.length === limit ? last.seq : Math.max(after, to) };
    },
  };
}

function readEvent(row: Row): SubmissionEventRecord {
  const isRejected = text(row, "state") === "rejected" && text(row, "event_state") === "rejected";
  const code = isRejected ? optional(row, "error_code", text) : undefined;
  return {
    seq: integer(row, "event"),
    state: oneOf(row, "event_state", SUBMISSION_STATES),
    atMs: integer(row, "at"),
    submission: {
      seq: integer(row, "seq"),
      id: hex(row, "id"),
      account: text(row, "account"),
      chainId: text(row, "chain_id"),
      chainKey: text(row, "chain_key"),
      blockNumber: optional(row, "block_number", text),
      externalId: optional(row, "external_id", text),
      error: code === undefined ? undefined : { code, detail: text(row, "error_detail") },
      duplicateOf: optional(row, "original_id", hex),
    },
  };
}
