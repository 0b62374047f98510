/**
 * Who calls: the bearer token (RFC 6750) looked up by its id on every request, so that a revocation holds for the next
 * one. Owns which keys are let in; not rates, not scopes of routes.
 */

import type { RateLimits } from "./account.ts";
import type { Accounts } from "./accounts.ts";
import { type ApiKey, type Environment, matchesDigest, parseApiKey } from "./api-key.ts";
import type { Caller } from "./caller.ts";
import { endOfKey } from "./keys.ts";

/** Why a caller is not let in. `detail` is for the caller. */
export interface Refusal {
  readonly code: "no-token" | "invalid-token" | "account-suspended";
  readonly detail: string;
}

/** A caller, or why there is none. */
export type Admission = { readonly ok: true; readonly caller: Caller } | ({ readonly ok: false } & Refusal);

/** Judges an `Authorization` header. */
export type Authenticate = (authorization: string | undefined) => Admission;

/** Lets in whoever has a live key of these accounts; `limits` hold where an account has none of its own. */
export function createAuthenticate(o: {
  readonly accounts: Accounts;
  readonly limits: RateLimits;
  readonly now: () => number;
}): Authenticate {
  return (authorization) => {
    const token = /^bearer +([\x21-\x7e]+) *$/i.exec(authorization ?? "")?.[1];
    if (token === undefined) return { ok: false, code: "no-token", detail: "a bearer token is required" };
    const key = parseApiKey(token);
    if (key === undefined) return invalid("the token is not known");
    if (key.environment !== o.accounts.environment) return invalid(wrongEnvironment(key.environment));
    return admit(o, key);
  };
}

const UNLIMITED: RateLimits = { perMinute: 0, burst: 0 };

function admit(o: Parameters<typeof createAuthenticate>[0], key: ApiKey): Admission {
  const record = o.accounts.findKey(key.id);
  // Compared before anything is told of the key: state is for its owner only.
  if (!matchesDigest(key, record?.digest) || record === undefined) return invalid("the token is not known");
  const ended = detailOfEnd(endOfKey(record, o.now()));
  if (ended !== undefined) return invalid(ended);
  const account = o.accounts.find(record.account);
  if (account === undefined) return invalid("the token is not known");
  if (account.suspended) {
    return { ok: false, code: "account-suspended", detail: `the operator has suspended the account ${account.name}` };
  }
  const scopes = new Set(record.scopes);
  const { name, agreement } = account;
  const limits = record.exempt ? UNLIMITED : (account.limits ?? o.limits);
  const caller = { account: name, keyId: key.id, scopes, limits, agreement, exempt: record.exempt };
  return { ok: true, caller };
}

function detailOfEnd(end: ReturnType<typeof endOfKey>): string | undefined {
  if (end === undefined) return undefined;
  return end === "revoked" ? "the token is revoked" : "the token has expired";
}

function wrongEnvironment(environment: Environment): string {
  return environment === "sandbox"
    ? "this is a sandbox key, and this service is production"
    : "this is a production key, and this service is a sandbox";
}

function invalid(detail: string): Admission {
  return { ok: false, code: "invalid-token", detail };
}
