/** The store on one SQLite file: WAL, each commit synced, schema migrated forward. One process at a time. */
import type { Store } from "../store.ts";
import { anchorStore } from "./anchors.ts";
import { batchStore } from "./batches.ts";
import { text } from "./columns.ts";
import { type Database, openDatabase } from "./database.ts";
import { ledgerStore } from "./ledger.ts";
import { MIGRATIONS } from "./migrations.ts";
import { eventStore } from "./submission-events.ts";
import { submissionStore } from "./submissions.ts";
import { usageStore } from "./usage.ts";
import { verificationKeyStore } from "./verification-keys.ts";

/** Opens (or creates) the store in `file`. Throws `StoreVersionError` when a newer version wrote it. */
export function openSqliteStore(file: string): Store {
  return storeOn(openDatabase(file, MIGRATIONS));
}

/** The store on an open database, which closes with it. */
export function storeOn(database: Database): Store {
  return {
    ...submissionStore(database),
    ...batchStore(database),
    ...anchorStore(database),
    ...ledgerStore(database),
    ...eventStore(database),
    ...usageStore(database),
    ...verificationKeyStore(database),
    setting: async (key) => {
      const row = database.get("SELECT value FROM settings WHERE key = ?", key);
      return row === undefined ? undefined : text(row, "value");
    },
    set: async (key, value) =>
      void database.run(
        "INSERT INTO settings (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        key,
        value,
      ),
    close: async () => database.close(),
  };
}
