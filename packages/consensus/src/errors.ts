/**
 * Why the engine does not start or has stopped:
 * - `invalid-home`: a file of the home directory is missing, unreadable or not in its format;
 * - `locked`: another process uses the data directory;
 * - `genesis-mismatch`: the data directory belongs to another genesis;
 * - `not-the-validator`: the chain's validator is not this home's key;
 * - `several-validators`: the set would have another member than this home's key; run CometBFT for that;
 * - `app-ahead`: the application has committed a height the engine does not have;
 * - `app-mismatch`: the application's hash differs from the one the chain has recorded;
 * - `app-error`: a call into the application failed;
 * - `proposal-refused`: the application refuses blocks it prepared itself, even an empty one;
 * - `invalid-response`: the application answered something no block can carry;
 * - `double-sign`: the private validator's state forbids the signature that is needed;
 * - `storage`: the store or a file could not be written or read (disk full, damaged).
 */
export type ConsensusErrorCode =
  | "invalid-home"
  | "locked"
  | "genesis-mismatch"
  | "not-the-validator"
  | "several-validators"
  | "app-ahead"
  | "app-mismatch"
  | "app-error"
  | "proposal-refused"
  | "invalid-response"
  | "double-sign"
  | "storage";

/** Fatal to the engine; `code` is stable, the message says what an operator can do. */
export class ConsensusError extends Error {
  readonly code: ConsensusErrorCode;

  constructor(code: ConsensusErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ConsensusError";
    this.code = code;
  }
}
