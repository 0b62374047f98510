/** Secrets that the service makes for itself and keeps in `delivery.db`. */
import { randomBytes } from "node:crypto";
import { blob, type Database } from "@cairn/aggregator";

const SECRET_BYTES = 32;

/** The secret of this name; made at the first call. */
export function ownSecret(database: Database, name: "cursor-key" | "quote-key" | "claim-key"): Uint8Array {
  return database.transaction(() => {
    const known = database.get("SELECT value FROM settings WHERE key = ?", name);
    if (known !== undefined) return blob(known, "value");
    const secret = randomBytes(SECRET_BYTES);
    database.run("INSERT INTO settings (key, value) VALUES (?, ?)", name, secret);
    return secret;
  });
}
