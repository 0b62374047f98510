/**
 * The keys of accounts: made, found by id, listed. Only digests are stored. Owns the table `keys`; who is let in is
 * decided in `authenticate.ts`.
 */
import { blob, type Database, integer, optional, type Row, text } from "@cairn/aggregator";
import { isScope, type Scope, scopes } from "@cairn/api";
import { type ApiKey, apiKeyDigest } from "./api-key.ts";

/** A stored key. Its secret is not known. */
export interface KeyRecord {
  readonly id: string;
  readonly account: string;
  readonly digest: Uint8Array;
  readonly scopes: readonly Scope[];
  readonly label: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | undefined;
  readonly revokedAtMs: number | undefined;
  /** Id of the key that replaced it. */
  readonly rotatedTo: string | undefined;
  /** To the hour. */
  readonly lastUsedAtMs: number | undefined;
}

/** Every scope. */
export const ALL_SCOPES: readonly Scope[] = Object.keys(scopes).filter(isScope);

/** Finds a key by its id. */
export function findKey(database: Database, id: string): KeyRecord | undefined {
  const row = database.get("SELECT * FROM keys WHERE id = ?", id);
  return row === undefined ? undefined : readKey(row);
}

/**
 * Stores a key whose text the caller keeps, as the only one of its account with this label: others with it are revoked.
 * A key that is stored already gets the scopes given and stays revoked if it was. The caller owns the transaction.
 */
export function adoptKey(
  database: Database,
  key: ApiKey,
  o: { readonly account: string; readonly label: string; readonly scopes: readonly Scope[] },
  nowMs: number,
): void {
  database.run(
    "UPDATE keys SET revoked_at = ? WHERE account = ? AND label = ? AND id <> ? AND revoked_at IS NULL",
    ...[nowMs, o.account, o.label, key.id],
  );
  database.run(
    `INSERT INTO keys (id, account, digest, scopes, label, created_at) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET scopes = excluded.scopes`,
    ...[key.id, o.account, apiKeyDigest(key), o.scopes.join(" "), o.label, nowMs],
  );
}

function readKey(row: Row): KeyRecord {
  return {
    id: text(row, "id"),
    account: text(row, "account"),
    digest: blob(row, "digest"),
    scopes: text(row, "scopes").split(" ").filter(isScope),
    label: text(row, "label"),
    createdAtMs: integer(row, "created_at"),
    expiresAtMs: optional(row, "expires_at", integer),
    revokedAtMs: optional(row, "revoked_at", integer),
    rotatedTo: optional(row, "rotated_to", text),
    lastUsedAtMs: optional(row, "last_used_at", integer),
  };
}
