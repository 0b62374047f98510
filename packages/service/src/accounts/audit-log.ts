/**
 * The audit log: who did what to which account or key, and when. Entries are never changed or removed, and each one's
 * hash covers the one before, so whoever has noted a hash sees whether anything up to it was altered. Owns the table
 * `audit`; never holds a secret.
 *
 *   hash = SHA-256("cairn/audit/1" ‖ u64 seq ‖ u64 at ‖ str actor ‖ str action ‖ str subject ‖ str detail ‖ hash before)
 *
 * where the hash before the first entry is zeros and `str` is a length in 4 bytes and UTF-8.
 */
import { createHash } from "node:crypto";
import { blob, type Database, integer, type Row, text } from "@cairn/aggregator";
import { bytesToHex, equalBytes, type Hash } from "@cairn/primitives";

/** What can be done to accounts. */
export type AuditAction =
  | "key-issued"
  | "key-rotated"
  | "key-revoked"
  | "account-created"
  | "agreement-set"
  | "account-revoked"
  | "request-approved"
  | "request-rejected"
  | "key-claimed";

/** What is written; `detail` must be free of secrets. */
export interface AuditEvent {
  readonly actor: string;
  readonly action: AuditAction;
  /** The account, key or request it was done to. */
  readonly subject: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** A stored entry. */
export interface AuditEntry {
  readonly seq: number;
  readonly atMs: number;
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly hash: Hash;
}

/** The chain holds up to `head`; or the entry `seq` is not what it was written as. */
export type AuditVerdict =
  | { readonly ok: true; readonly entries: number; readonly head: Hash | undefined }
  | { readonly ok: false; readonly seq: number };

const START = new Uint8Array(32);
const PAGE = 1_000;

/** Appends an entry. The caller owns the transaction: the entry is there if and only if what it tells of is. */
export function appendAudit(database: Database, event: AuditEvent, nowMs: number): void {
  const last = database.get("SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1");
  const entry = {
    seq: last === undefined ? 1 : integer(last, "seq") + 1,
    at: nowMs,
    ...{ actor: event.actor, action: event.action, subject: event.subject, detail: JSON.stringify(event.detail) },
  };
  database.run(
    "INSERT INTO audit (seq, at, actor, action, subject, detail, hash) VALUES (?, ?, ?, ?, ?, ?, ?)",
    ...[entry.seq, entry.at, entry.actor, entry.action, entry.subject, entry.detail],
    hashOf(entry, last === undefined ? START : blob(last, "hash")),
  );
}

/** Entries, newest first. */
export function auditEntries(database: Database, o: { readonly limit: number }): readonly AuditEntry[] {
  return database.all("SELECT * FROM audit ORDER BY seq DESC LIMIT ?", o.limit).map((row) => ({
    seq: integer(row, "seq"),
    atMs: integer(row, "at"),
    actor: text(row, "actor"),
    action: text(row, "action"),
    subject: text(row, "subject"),
    detail: JSON.parse(text(row, "detail")),
    hash: bytesToHex(blob(row, "hash")),
  }));
}

/** Whether an entry with this hash is in the log. */
export function isAudited(database: Database, hash: Uint8Array): boolean {
  return database.get("SELECT seq FROM audit WHERE hash = ?", hash) !== undefined;
}

/** Computes every hash again. */
export function verifyAudit(database: Database): AuditVerdict {
  let previous: Uint8Array = START;
  let seq = 0;
  for (;;) {
    const rows = database.all("SELECT * FROM audit WHERE seq > ? ORDER BY seq LIMIT ?", seq, PAGE);
    for (const row of rows) {
      if (integer(row, "seq") !== seq + 1) return { ok: false, seq: seq + 1 };
      seq += 1;
      const stored = blob(row, "hash");
      if (!equalBytes(stored, hashOf(hashedParts(row), previous))) return { ok: false, seq };
      previous = stored;
    }
    if (rows.length < PAGE) return { ok: true, entries: seq, head: seq === 0 ? undefined : bytesToHex(previous) };
  }
}

interface HashedParts {
  readonly seq: number;
  readonly at: number;
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  readonly detail: string;
}

function hashedParts(row: Row): HashedParts {
  return {
    seq: integer(row, "seq"),
    at: integer(row, "at"),
    actor: text(row, "actor"),
    action: text(row, "action"),
    subject: text(row, "subject"),
    detail: text(row, "detail"),
  };
}

function hashOf(entry: HashedParts, previous: Uint8Array): Uint8Array {
  const hash = createHash("sha256").update("cairn/audit/1").update(u64(entry.seq)).update(u64(entry.at));
  for (const part of [entry.actor, entry.action, entry.subject, entry.detail]) hash.update(str(part));
  return hash.update(previous).digest();
}

function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}

function str(value: string): Buffer {
  const bytes = Buffer.from(value, "utf8");
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
