/**
 * Access requests: noted, decided, claimed. Owns the table `access_requests` and its bound; who may decide is the
 * caller's. Callers own the transactions.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import { blob, type Database, integer, oneOf, optional, type Row, text } from "@cairn/aggregator";
import { type AccessRequestBody, type AccessState, accessLimits, accessStates, isScope, type Scope } from "@cairn/api";
import { accessStateAt, accessStep } from "./access-request-life.ts";
import type { Environment } from "./api-key.ts";
import { appendAudit } from "./audit-log.ts";
import type { ClaimNames } from "./claim-names.ts";
import { type IssuedKey, issueKey } from "./keys.ts";

/** A stored request. */
export interface AccessRequest {
  readonly id: string;
  readonly state: AccessState;
  readonly organisation: string;
  readonly contact: string;
  readonly chainIds: readonly string[];
  readonly expectedPerDay: number | undefined;
  readonly message: string | undefined;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  /** From `approved` on. */
  readonly account: string | undefined;
  readonly scopes: readonly Scope[];
  /** From its claim; undefined: until it is revoked. */
  readonly keyLifetimeMs: number | undefined;
  readonly keyId: string | undefined;
}

/** A request just noted: the only time its claim secret is known. */
export type NotedRequest =
  | { readonly ok: true; readonly request: AccessRequest; readonly claimSecret: string }
  | { readonly ok: false; readonly code: "too-many-requests" };

/** What an approval grants. */
export interface Grant {
  readonly account: string;
  readonly scopes: readonly Scope[];
  readonly keyLifetimeMs: number | undefined;
}

const DAY_MS = 86_400_000;
const OPEN_MS = accessLimits.openDays * DAY_MS;
/** Decided and expired requests are forgotten after this; the audit log keeps the decisions. */
const KEPT_MS = 90 * DAY_MS;
const MAX_PENDING = 1_000;
const CLAIM = /^cairn_claim_[0-9a-f]{48}$/;

/** Notes a request, unless it is noted or too many are open. Forgets old ones. */
export function noteRequest(
  database: Database,
  body: AccessRequestBody,
  { id, claimSecret }: ClaimNames,
  nowMs: number,
): NotedRequest {
  database.run("DELETE FROM access_requests WHERE expires_at < ?", nowMs - KEPT_MS);
  const known = findClaim(database, id, claimSecret, nowMs);
  if (known !== undefined) return { ok: true, request: known, claimSecret };
  const open = "SELECT count(*) AS n FROM access_requests WHERE state = 'pending' AND expires_at > ?";
  if (integer(database.get(open, nowMs) ?? {}, "n") >= MAX_PENDING) return { ok: false, code: "too-many-requests" };
  database.run(
    `INSERT INTO access_requests (id, claim_digest, state, organisation, contact, chain_ids, expected_per_day, message,
       created_at, expires_at) VALUES (?, ?, 'pending', ?, ?, ?, ?, ?, ?, ?)`,
    ...[id, digest(claimSecret), body.organisation, body.contact, JSON.stringify(body.chain_ids)],
    ...[body.expected_per_day ?? null, body.message ?? null, nowMs, nowMs + OPEN_MS],
  );
  const request = findRequest(database, id, nowMs);
  if (request === undefined) throw new Error("a request vanished inside its transaction");
  return { ok: true, request, claimSecret };
}

/** Finds a request by its id, in its state at that time. */
export function findRequest(database: Database, id: string, nowMs: number): AccessRequest | undefined {
  const row = database.get("SELECT * FROM access_requests WHERE id = ?", id);
  return row === undefined ? undefined : readRequest(row, nowMs);
}

/** The request that a claim secret was given for; undefined for another id or secret. Constant time in the secret. */
export function findClaim(database: Database, id: string, secret: string, nowMs: number): AccessRequest | undefined {
  const row = database.get("SELECT * FROM access_requests WHERE id = ?", id);
  const stored = row === undefined ? new Uint8Array(32) : blob(row, "claim_digest");
  const isRight = timingSafeEqual(digest(secret), stored) && CLAIM.test(secret);
  return row === undefined || !isRight ? undefined : readRequest(row, nowMs);
}

/** Requests, the newest first; only open ones unless `all`. */
export function listRequests(database: Database, all: boolean, nowMs: number): readonly AccessRequest[] {
  const requests = database
    .all("SELECT * FROM access_requests ORDER BY created_at DESC, id")
    .map((row) => readRequest(row, nowMs));
  return all ? requests : requests.filter(({ state }) => state === "pending" || state === "approved");
}

/** Approves a pending request; its key can be claimed for two weeks. False: it is not pending. */
export function approveRequest(database: Database, request: AccessRequest, grant: Grant, nowMs: number): boolean {
  const next = accessStep(request.state, "approve");
  if (next === undefined) return false;
  database.run(
    `UPDATE access_requests SET state = ?, decided_at = ?, expires_at = ?, account = ?, scopes = ?, key_lifetime = ?
     WHERE id = ?`,
    ...[next, nowMs, nowMs + OPEN_MS, grant.account, grant.scopes.join(" "), grant.keyLifetimeMs ?? null, request.id],
  );
  return true;
}

/** Rejects a request that is pending, or approved and not claimed. False: it is neither. */
export function rejectRequest(database: Database, request: AccessRequest, nowMs: number): boolean {
  const next = accessStep(request.state, "reject");
  if (next === undefined) return false;
  database.run("UPDATE access_requests SET state = ?, decided_at = ? WHERE id = ?", next, nowMs, request.id);
  return true;
}

/** Rejects what an account has approved and not claimed: after this no key comes of it. */
export function rejectRequestsOf(database: Database, account: string, nowMs: number): void {
  database.run(
    "UPDATE access_requests SET state = 'rejected', decided_at = ? WHERE account = ? AND state = 'approved'",
    ...[nowMs, account],
  );
}

/** Makes the key of an approved request. Undefined: there is none to claim (any more). */
export function claimKey(
  database: Database,
  environment: Environment,
  request: AccessRequest,
  nowMs: number,
): IssuedKey | undefined {
  const next = accessStep(request.state, "claim");
  if (next === undefined || request.account === undefined) return undefined;
  const { account, scopes, keyLifetimeMs, id } = request;
  const expiresAtMs = keyLifetimeMs === undefined ? undefined : nowMs + keyLifetimeMs;
  const issued = issueKey(database, environment, { account, scopes, label: id, expiresAtMs }, nowMs);
  database.run("UPDATE access_requests SET state = ?, key_id = ? WHERE id = ?", next, issued.id, id);
  const event = {
    actor: "service",
    action: "key-claimed",
    subject: issued.id,
    detail: { account, request: id },
  } as const;
  appendAudit(database, event, nowMs);
  return issued;
}

function digest(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}

function readRequest(row: Row, nowMs: number): AccessRequest {
  const expiresAtMs = integer(row, "expires_at");
  return {
    id: text(row, "id"),
    state: accessStateAt({ state: oneOf(row, "state", accessStates), expiresAtMs }, nowMs),
    organisation: text(row, "organisation"),
    contact: text(row, "contact"),
    chainIds: JSON.parse(text(row, "chain_ids")),
    expectedPerDay: optional(row, "expected_per_day", integer),
    message: optional(row, "message", text),
    createdAtMs: integer(row, "created_at"),
    expiresAtMs,
    account: optional(row, "account", text),
    scopes: (optional(row, "scopes", text) ?? "").split(" ").filter(isScope),
    keyLifetimeMs: optional(row, "key_lifetime", integer),
    keyId: optional(row, "key_id", text),
  };
}
