/** What a key may be allowed to do: the scopes that routes ask for. */

/** All scopes with their meaning. */
export const scopes = {
  "proofs:write": "Submit proofs.",
  "proofs:read": "Read own submissions, verify without storing.",
  "account:read": "Read balance, quota, usage and ledger.",
  "account:write": "Bind a wallet.",
  "webhooks:write": "Register, list, replay and remove webhooks.",
  "reader:write": "Send `source`, `reorg_of` and `evidence` with a submission.",
  "sandbox:debug": "Fault switches, forced blocks, request log: sandbox only.",
} as const;

/** Name of a scope. */
export type Scope = keyof typeof scopes;

/** Is this text a scope's name? */
export function isScope(text: string): text is Scope {
  return Object.hasOwn(scopes, text);
}
