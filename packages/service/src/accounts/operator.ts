/**
 * What an operator does to accounts: keys issued, rotated and revoked, access ended; each in one transaction with its
 * entry in the audit log. Works on the file of a service whether it runs or not. Owns no rule of the tables.
 */
import type { Database } from "@cairn/aggregator";
import type { AccessState, Scope } from "@cairn/api";
import {
  type AccessRequest,
  approveRequest,
  findRequest,
  listRequests,
  rejectRequest,
  rejectRequestsOf,
} from "./access-requests.ts";
import type { Account, Agreement, RateLimits } from "./account.ts";
import {
  ACCOUNT_NAME,
  ensureAccount,
  findAccount,
  listAccounts,
  type NewChain,
  putChain,
  setAgreement,
  suspendAccount,
} from "./account-store.ts";
import { openExistingAccountsFile } from "./accounts-file.ts";
import type { Environment } from "./api-key.ts";
import {
  type AuditAction,
  type AuditEntry,
  type AuditVerdict,
  appendAudit,
  auditEntries,
  isAudited,
  verifyAudit,
} from "./audit-log.ts";
import {
  type IssuedKey,
  issueKey,
  type KeyRecord,
  listKeys,
  type RotateOutcome,
  revokeKey,
  revokeKeysOf,
  rotateKey,
} from "./keys.ts";

/** A key asked for. */
export interface KeyOrder {
  readonly account: string;
  /** Make the account where it is missing. */
  readonly newAccount: boolean;
  readonly scopes: readonly Scope[];
  readonly label: string;
  /** Undefined: until it is revoked. */
  readonly expiresAtMs: number | undefined;
}

/** A key, or why there is none. */
export type IssueOutcome =
  | { readonly ok: true; readonly issued: IssuedKey }
  | { readonly ok: false; readonly code: "unknown-account" | "bad-account-name" };

/** What an account is given. */
export interface Terms {
  readonly account: string;
  /** Undefined: as it is. */
  readonly agreement: Agreement | undefined;
  /** Undefined: as they are; a new account has the service's. */
  readonly limits: RateLimits | "service" | undefined;
  /** Added to those registered. */
  readonly chains: readonly NewChain[];
}

/** The account as it is now, or why nothing was changed; `name` stands for another chain of the account. */
export type TermsOutcome =
  | { readonly ok: true; readonly account: Account }
  | { readonly ok: false; readonly code: "unknown-account" }
  | { readonly ok: false; readonly code: "chain-name-taken"; readonly name: string };

/** A request approved. */
export interface Approval extends Terms {
  /** Of the request. */
  readonly id: string;
  /** The account is there already and gets another key. */
  readonly existingAccount: boolean;
  readonly scopes: readonly Scope[];
  /** From the claim; undefined: until it is revoked. */
  readonly keyLifetimeMs: number | undefined;
}

/** The account as it is now, or why nothing was changed. */
export type ApproveOutcome =
  | TermsOutcome
  | { readonly ok: false; readonly code: "unknown-request" | "account-exists" | "bad-account-name" }
  | { readonly ok: false; readonly code: "not-open"; readonly state: AccessState };

/** The request as it was rejected, or why it was not. */
export type RejectOutcome =
  | { readonly ok: true; readonly request: AccessRequest }
  | { readonly ok: false; readonly code: "unknown-request" }
  | { readonly ok: false; readonly code: "not-open"; readonly state: AccessState };

/** An operator at work. Members throw `StoreUnavailableError` when the disk or another process is the reason. */
export interface Operator {
  readonly environment: Environment;
  accounts(): readonly Account[];
  keys(account: string | undefined): readonly KeyRecord[];
  issueKey(order: KeyOrder): IssueOutcome;
  rotateKey(o: {
    readonly id: string;
    readonly overlapMs: number;
    readonly expiresAtMs: number | undefined;
  }): RotateOutcome;
  /** Undefined: no such key. */
  revokeKey(id: string): KeyRecord | undefined;
  /** Requests for access, the newest first; only open ones unless `all`. */
  requests(all: boolean): readonly AccessRequest[];
  /** Approves a request: makes its account, sets the terms; the key is made when the request's sender claims it. */
  approve(approval: Approval): ApproveOutcome;
  /** Rejects a request that is not claimed yet. */
  reject(id: string): RejectOutcome;
  /** Sets agreement and limits of an account, adds chains, lifts a suspension. */
  setTerms(terms: Terms): TermsOutcome;
  /** Suspends the account and ends all its keys; undefined: no such account. */
  revokeAccount(name: string): { readonly keysRevoked: number } | undefined;
  /** Entries of the audit log, newest first. */
  audit(limit: number): readonly AuditEntry[];
  verifyAudit(): AuditVerdict;
  isAudited(hash: Uint8Array): boolean;
  close(): void;
}

/** Opens the accounts of a home's service. `actor` is written into the audit log. Throws `NoAccountsError`. */
export function openOperator(file: string, o: { readonly actor: string; readonly now: () => number }): Operator {
  const { database, environment } = openExistingAccountsFile(file);
  return operatorOn({ database, environment, ...o });
}

/** What an operator's members work with. */
interface Desk {
  readonly database: Database;
  readonly environment: Environment;
  readonly actor: string;
  readonly now: () => number;
}

function operatorOn(desk: Desk): Operator {
  const { database, environment } = desk;
  return {
    environment,
    accounts: () => listAccounts(database),
    keys: (account) => listKeys(database, account),
    issueKey: (order) => database.transaction(() => issue(desk, order)),
    rotateKey: (o) => database.transaction(() => rotate(desk, o)),
    revokeKey: (id) => database.transaction(() => revoke(desk, id)),
    requests: (all) => listRequests(database, all, desk.now()),
    approve: (approval) => allOrNothing(database, () => approve(desk, approval)),
    reject: (id) => allOrNothing(database, () => reject(desk, id)),
    setTerms: (terms) => allOrNothing(database, () => setTerms(desk, terms)),
    revokeAccount: (name) => database.transaction(() => endAccount(desk, name)),
    audit: (limit) => auditEntries(database, { limit }),
    verifyAudit: () => verifyAudit(database),
    isAudited: (hash) => isAudited(database, hash),
    close: () => database.close(),
  };
}

function note(desk: Desk, action: AuditAction, subject: string, detail: Readonly<Record<string, unknown>>): void {
  appendAudit(desk.database, { actor: desk.actor, action, subject, detail }, desk.now());
}

/** Thrown inside a transaction to undo it; carries the outcome out. */
class Refused extends Error {
  readonly outcome: { readonly ok: false };
  constructor(outcome: { readonly ok: false }) {
    super("refused");
    this.outcome = outcome;
  }
}

/** A transaction of which nothing remains when its outcome is a refusal. */
function allOrNothing<T extends { readonly ok: boolean }>(database: Database, work: () => T): T {
  try {
    return database.transaction(() => {
      const outcome = work();
      if (!outcome.ok) throw new Refused({ ...outcome, ok: false });
      return outcome;
    });
  } catch (error) {
    if (error instanceof Refused) return error.outcome as T;
    throw error;
  }
}

function setTerms(desk: Desk, { account, chains, ...wanted }: Terms): TermsOutcome {
  const { database } = desk;
  const nowMs = desk.now();
  const before = findAccount(database, account);
  if (before === undefined) return { ok: false, code: "unknown-account" };
  const agreement = wanted.agreement ?? before.agreement;
  const limits = wanted.limits === "service" ? undefined : (wanted.limits ?? before.limits);
  setAgreement(database, { account, agreement, limits }, nowMs);
  for (const chain of chains) {
    const refused = putChain(database, account, chain, nowMs);
    if (refused !== undefined) return { ok: false, code: "chain-name-taken", name: refused.taken };
  }
  note(desk, "agreement-set", account, { agreement: agreement ?? null, limits: limits ?? null, chains });
  const after = findAccount(database, account);
  return after === undefined ? { ok: false, code: "unknown-account" } : { ok: true, account: after };
}

function approve(desk: Desk, approval: Approval): ApproveOutcome {
  const { database } = desk;
  const { id, account, existingAccount, scopes, keyLifetimeMs } = approval;
  const nowMs = desk.now();
  const request = findRequest(database, id, nowMs);
  if (request === undefined) return { ok: false, code: "unknown-request" };
  if (!approveRequestAccount(desk, approval)) return { ok: false, code: accountRefusal(account, existingAccount) };
  if (!approveRequest(database, request, { account, scopes, keyLifetimeMs }, nowMs)) {
    return { ok: false, code: "not-open", state: request.state };
  }
  note(desk, "request-approved", id, { account, organisation: request.organisation, scopes });
  return setTerms(desk, approval);
}

/** Makes the account of an approval, or finds the existing one; false when it is not as the approval says. */
function approveRequestAccount(desk: Desk, { account, existingAccount }: Approval): boolean {
  if (existingAccount) return findAccount(desk.database, account) !== undefined;
  if (!ACCOUNT_NAME.test(account) || !ensureAccount(desk.database, account, desk.now())) return false;
  note(desk, "account-created", account, {});
  return true;
}

function accountRefusal(account: string, existingAccount: boolean) {
  if (existingAccount) return "unknown-account";
  return ACCOUNT_NAME.test(account) ? "account-exists" : "bad-account-name";
}

function reject(desk: Desk, id: string): RejectOutcome {
  const request = findRequest(desk.database, id, desk.now());
  if (request === undefined) return { ok: false, code: "unknown-request" };
  if (!rejectRequest(desk.database, request, desk.now())) return { ok: false, code: "not-open", state: request.state };
  note(desk, "request-rejected", id, { organisation: request.organisation });
  return { ok: true, request: { ...request, state: "rejected" } };
}

function issue(desk: Desk, order: KeyOrder): IssueOutcome {
  const { database } = desk;
  const { newAccount, ...wanted } = order;
  if (newAccount && !ACCOUNT_NAME.test(order.account)) return { ok: false, code: "bad-account-name" };
  if (newAccount && ensureAccount(database, order.account, desk.now()))
    note(desk, "account-created", order.account, {});
  if (findAccount(database, order.account) === undefined) return { ok: false, code: "unknown-account" };
  const issued = issueKey(database, desk.environment, wanted, desk.now());
  note(desk, "key-issued", issued.id, publicPart(issued));
  return { ok: true, issued };
}

function rotate(desk: Desk, o: Parameters<Operator["rotateKey"]>[0]): RotateOutcome {
  const outcome = rotateKey(desk.database, desk.environment, o, desk.now());
  if (outcome.ok) {
    const { issued, replacedEndsAtMs } = outcome;
    note(desk, "key-rotated", o.id, { ...publicPart(issued), successor: issued.id, ends_at: time(replacedEndsAtMs) });
  }
  return outcome;
}

function revoke(desk: Desk, id: string): KeyRecord | undefined {
  const revoked = revokeKey(desk.database, id, desk.now());
  if (revoked?.isNew === true) note(desk, "key-revoked", id, { account: revoked.key.account });
  return revoked?.key;
}

function endAccount(desk: Desk, name: string): { readonly keysRevoked: number } | undefined {
  if (!suspendAccount(desk.database, name, desk.now())) return undefined;
  rejectRequestsOf(desk.database, name, desk.now());
  const keysRevoked = revokeKeysOf(desk.database, name, desk.now());
  note(desk, "account-revoked", name, { keys_revoked: keysRevoked });
  return { keysRevoked };
}

function publicPart({ account, scopes, label, expiresAtMs }: IssuedKey): Readonly<Record<string, unknown>> {
  return { account, scopes, label, ...(expiresAtMs === undefined ? {} : { expires_at: time(expiresAtMs) }) };
}

function time(ms: number): string {
  return new Date(ms).toISOString();
}
