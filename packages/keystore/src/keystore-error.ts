/** Owns the errors of the key store. Messages never hold passphrases, keys or paths. */

/**
 * - `unknown-account`: no key file of this address.
 * - `ambiguous-account`: several key files of this address.
 * - `locked`: the account is not unlocked.
 * - `wrong-passphrase`: the passphrase does not open the key file.
 * - `throttled`: too many wrong passphrases; `retryAfterMs` says when the next try counts.
 * - `busy`: too many passphrase checks wait already.
 * - `account-exists`: the key is in the store.
 * - `invalid-key`: no private key of secp256k1.
 * - `invalid-key-file`: the file is no V3 key file, or asks for more work than the store does.
 * - `wallet-exists`, `unknown-wallet`: a software wallet's name is taken, or there is none of this name.
 * - `unlock-too-long`: a duration beyond what a clock counts.
 * - `closed`: the key store was closed.
 */
export type KeystoreErrorCode =
  | "unknown-account"
  | "ambiguous-account"
  | "locked"
  | "wrong-passphrase"
  | "throttled"
  | "busy"
  | "account-exists"
  | "invalid-key"
  | "invalid-key-file"
  | "wallet-exists"
  | "unknown-wallet"
  | "unlock-too-long"
  | "closed";

/** A request the key store refuses. */
export class KeystoreError extends Error {
  override readonly name = "KeystoreError";
  readonly code: KeystoreErrorCode;
  /** Only with `throttled`: milliseconds until the next try. */
  readonly retryAfterMs: number;

  constructor(code: KeystoreErrorCode, message: string, { retryAfterMs = 0 } = {}) {
    super(message);
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }
}
