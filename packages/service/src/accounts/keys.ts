/**
 * The keys of accounts: made, rotated, revoked, found by id, listed. Only digests are stored. Owns the table `keys`;
 * who is let in is decided in `authenticate.ts`. Callers own the transactions.
 *
 *   live    --revoke-->           ended at once
 *   live    --rotate(overlap)-->  live until now + overlap, beside its successor; not rotated again
 *   live    --its expiry-->       ended
 */
import { randomBytes } from "node:crypto";
import { blob, type Database, integer, optional, type Row, text } from "@cairn/aggregator";
import { isScope, type Scope, scopes } from "@cairn/api";
import { type ApiKey, apiKeyDigest, createApiKey, type Environment } from "./api-key.ts";

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
  /** To the hour, never before it was made. */
  readonly lastUsedAtMs: number | undefined;
  /** No rate and no quota limits it. */
  readonly exempt: boolean;
}

/** What a new key is made with. */
export interface NewKey {
  readonly account: string;
  readonly scopes: readonly Scope[];
  readonly label: string;
  /** Undefined: until it is revoked. */
  readonly expiresAtMs: number | undefined;
}

/** A key just made: the only time its text is known. */
export interface IssuedKey extends NewKey {
  readonly id: string;
  /** The key itself: secret. */
  readonly key: string;
}

/** A rotation, or why there is none. */
export type RotateOutcome =
  | { readonly ok: true; readonly issued: IssuedKey; readonly replaced: string; readonly replacedEndsAtMs: number }
  | { readonly ok: false; readonly code: "unknown-key" | "key-ended" | "already-rotated" };

/** Every scope. */
export const ALL_SCOPES: readonly Scope[] = Object.keys(scopes).filter(isScope);

const HOUR_MS = 3_600_000;

/** Finds a key by its id. */
export function findKey(database: Database, id: string): KeyRecord | undefined {
  const row = database.get("SELECT * FROM keys WHERE id = ?", id);
  return row === undefined ? undefined : readKey(row);
}

/** Keys, the newest first; of one account when given. */
export function listKeys(database: Database, account: string | undefined): readonly KeyRecord[] {
  const rows =
    account === undefined
      ? database.all("SELECT * FROM keys ORDER BY created_at DESC, id")
      : database.all("SELECT * FROM keys WHERE account = ? ORDER BY created_at DESC, id", account);
  return rows.map(readKey);
}

/** Why a key is let in no more; undefined while it is. */
export function endOfKey(key: KeyRecord, nowMs: number): "revoked" | "expired" | undefined {
  if (key.revokedAtMs !== undefined) return "revoked";
  return key.expiresAtMs !== undefined && key.expiresAtMs <= nowMs ? "expired" : undefined;
}

/** Makes a key. The account must exist. */
export function issueKey(database: Database, environment: Environment, o: NewKey, nowMs: number): IssuedKey {
  const key = createApiKey(environment, randomBytes);
  insertKey(database, key, o, nowMs);
  return { ...o, id: key.id, key: key.text };
}

/**
 * Makes a successor with the same account, scopes and label; the old key ends `overlapMs` from now, or at its own expiry
 * if that is sooner.
 */
export function rotateKey(
  database: Database,
  environment: Environment,
  o: { readonly id: string; readonly overlapMs: number; readonly expiresAtMs: number | undefined },
  nowMs: number,
): RotateOutcome {
  const old = findKey(database, o.id);
  if (old === undefined) return { ok: false, code: "unknown-key" };
  if (endOfKey(old, nowMs) !== undefined) return { ok: false, code: "key-ended" };
  if (old.rotatedTo !== undefined) return { ok: false, code: "already-rotated" };
  const { account, label } = old;
  const issued = issueKey(
    database,
    environment,
    { account, label, scopes: old.scopes, expiresAtMs: o.expiresAtMs },
    nowMs,
  );
  const replacedEndsAtMs = Math.min(old.expiresAtMs ?? Number.MAX_SAFE_INTEGER, nowMs + o.overlapMs);
  database.run("UPDATE keys SET rotated_to = ?, expires_at = ? WHERE id = ?", issued.id, replacedEndsAtMs, old.id);
  return { ok: true, issued, replaced: old.id, replacedEndsAtMs };
}

/** Ends a key now, for good; undefined when there is no such key. One that was revoked stays as it was. */
export function revokeKey(
  database: Database,
  id: string,
  nowMs: number,
): { readonly key: KeyRecord; readonly isNew: boolean } | undefined {
  const isNew = database.run("UPDATE keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL", nowMs, id) === 1;
  const key = findKey(database, id);
  return key === undefined ? undefined : { key, isNew };
}

/** Ends every key of an account. */
export function revokeKeysOf(database: Database, account: string, nowMs: number): number {
  return database.run("UPDATE keys SET revoked_at = ? WHERE account = ? AND revoked_at IS NULL", nowMs, account);
}

/** Remembers that a key was used, to the hour but not before it was made: one write an hour and key at most. */
export function markKeyUsed(database: Database, id: string, atMs: number): void {
  const hourMs = atMs - (atMs % HOUR_MS);
  database.run(
    `UPDATE keys SET last_used_at = max(?, created_at)
     WHERE id = ? AND coalesce(last_used_at, 0) < max(?, created_at)`,
    ...[hourMs, id, hourMs],
  );
}

/**
 * Stores a key whose text the caller keeps, as the only one of its account with this label: others with it are revoked.
 * A key that is stored already gets the scopes given and stays revoked if it was.
 */
export function adoptKey(
  database: Database,
  key: ApiKey,
  o: { readonly account: string; readonly label: string; readonly scopes: readonly Scope[]; readonly exempt: boolean },
  nowMs: number,
): void {
  database.run(
    "UPDATE keys SET revoked_at = ? WHERE account = ? AND label = ? AND id <> ? AND revoked_at IS NULL",
    ...[nowMs, o.account, o.label, key.id],
  );
  if (database.run("UPDATE keys SET scopes = ? WHERE id = ?", o.scopes.join(" "), key.id) === 0)
    insertKey(database, key, { ...o, expiresAtMs: undefined }, nowMs);
  database.run("UPDATE keys SET exempt = ? WHERE id = ?", o.exempt ? 1 : 0, key.id);
}

function insertKey(database: Database, key: ApiKey, o: NewKey, nowMs: number): void {
  database.run(
    "INSERT INTO keys (id, account, digest, scopes, label, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
    ...[key.id, o.account, apiKeyDigest(key), o.scopes.join(" "), o.label, nowMs, o.expiresAtMs ?? null],
  );
}

function readKey(row: Row): KeyRecord {
  const createdAtMs = integer(row, "created_at");
  const lastUsedAtMs = optional(row, "last_used_at", integer);
  return {
    id: text(row, "id"),
    account: text(row, "account"),
    digest: blob(row, "digest"),
    scopes: text(row, "scopes").split(" ").filter(isScope),
    label: text(row, "label"),
    createdAtMs,
    expiresAtMs: optional(row, "expires_at", integer),
    revokedAtMs: optional(row, "revoked_at", integer),
    rotatedTo: optional(row, "rotated_to", text),
    // Earlier versions wrote the hour's beginning.
    lastUsedAtMs: lastUsedAtMs === undefined ? undefined : Math.max(lastUsedAtMs, createdAtMs),
    exempt: integer(row, "exempt") === 1,
  };
}
