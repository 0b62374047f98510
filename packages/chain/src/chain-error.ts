/** Owns the errors of this package that are no expected outcomes. */

/**
 * - `wrong-height`: the engine asked for a block that does not follow the head.
 * - `nothing-finalized`: a commit without a finalized block before it.
 * - `genesis-mismatch`: the engine's genesis is another one than the database was made from.
 */
export type ChainErrorCode = "wrong-height" | "nothing-finalized" | "genesis-mismatch";

/** A breach of the order or identity the engine guarantees; continuing would fork. */
export class ChainError extends Error {
  override readonly name = "ChainError";
  readonly code: ChainErrorCode;
  constructor(code: ChainErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
