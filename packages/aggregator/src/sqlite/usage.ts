/** `UsageStore` on SQLite: the counters that the events' trigger keeps. */
import type { UsageRow, UsageStore } from "../usage.ts";
import { integer, text } from "./columns.ts";
import type { Database, Row } from "./database.ts";

const DAY_MS = 86_400_000;

/** The usage part of the store. */
export function usageStore(database: Database): UsageStore {
  return {
    usage: async (account, { fromMs, toMs }) =>
      database
        .all(
          "SELECT * FROM usage WHERE account = ? AND day BETWEEN ? AND ? ORDER BY day DESC, chain_key",
          ...[account, dayOf(fromMs), dayOf(toMs)],
        )
        .map(readUsage),
    submissionsOfDay: async (atMs) =>
      new Map(
        database
          .all("SELECT account, sum(submissions) AS n FROM usage WHERE day = ? GROUP BY account", dayOf(atMs))
          .map((row) => [text(row, "account"), integer(row, "n")]),
      ),
  };
}

function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS);
}

function readUsage(row: Row): UsageRow {
  return {
    day: new Date(integer(row, "day") * DAY_MS).toISOString().slice(0, 10),
    chainKey: text(row, "chain_key"),
    submissions: integer(row, "submissions"),
    verified: integer(row, "verified"),
    rejected: integer(row, "rejected"),
    settled: integer(row, "settled"),
  };
}
