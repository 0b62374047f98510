/** Owns the errors of making, starting and running a node. */

/**
 * - `home-exists`: the home already holds a chain.
 * - `home-missing`: the home holds no chain; make it first.
 * - `invalid-home`: a file of the home cannot be used; the message names it.
 * - `locked`: another process uses the home.
 * - `address-in-use`, `cannot-listen`: a listener could not be opened; the message names the flag.
 * - `engine-failed`: the consensus engine did not start or has stopped.
 * - `state-failed`: the database cannot be opened or used.
 */
export type NodeErrorCode =
  | "home-exists"
  | "home-missing"
  | "invalid-home"
  | "locked"
  | "address-in-use"
  | "cannot-listen"
  | "engine-failed"
  | "state-failed";

/** A node that cannot be made, started or go on; the message says what an operator can do. */
export class NodeError extends Error {
  override readonly name = "NodeError";
  readonly code: NodeErrorCode;
  constructor(code: NodeErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
