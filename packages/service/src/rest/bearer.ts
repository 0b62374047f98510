/** Bearer tokens on HTTP: a refused caller as the problem it is answered with (RFC 6750, section 3). */
import type { Scope } from "@cairn/api";
import type { Environment } from "../accounts/api-key.ts";
import type { Admission } from "../accounts/authenticate.ts";
import type { Caller } from "../accounts/caller.ts";
import { ProblemError } from "./problem-error.ts";

/** The caller admitted; throws the problem `unauthorized` or `account-suspended`. */
export function callerOf(admission: Admission): Caller {
  if (admission.ok) return admission.caller;
  const { code, detail } = admission;
  if (code === "account-suspended") throw new ProblemError(code, { detail });
  const challenge = code === "no-token" ? 'Bearer realm="cairn"' : 'Bearer realm="cairn", error="invalid_token"';
  throw new ProblemError("unauthorized", { detail, headers: { "www-authenticate": challenge } });
}

/** Throws the problem `forbidden` when the caller lacks the scope. */
export function requireScope(caller: Caller, scope: Scope | undefined): void {
  if (scope === undefined || caller.scopes.has(scope)) return;
  throw new ProblemError("forbidden", {
    detail: `the token lacks the scope ${scope}`,
    extensions: { scope },
    headers: { "www-authenticate": `Bearer realm="cairn", error="insufficient_scope", scope="${scope}"` },
  });
}

/** Throws the problem `agreement-required` when a production account has no agreement and the route submits. */
export function requireAgreement(caller: Caller, scope: Scope | undefined, environment: Environment): void {
  if (environment === "sandbox" || scope !== "proofs:write" || caller.agreement !== undefined) return;
  throw new ProblemError("agreement-required");
}

/** Is this still the caller let in before, with the scope? For answers that go on for long. */
export function isAllowed(admission: Admission, before: Caller, scope: Scope | undefined): boolean {
  if (!admission.ok) return false;
  const { account, scopes } = admission.caller;
  return account === before.account && (scope === undefined || scopes.has(scope));
}
