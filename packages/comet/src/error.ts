/**
 * Why some input is not a CometBFT structure:
 * - `invalid-encoding`: protobuf bytes that are truncated, non-canonical or of another message;
 * - `invalid-json`: a JSON value that is not in CometBFT's spelling (type, case, missing or unknown member);
 * - `invalid-value`: a well-formed value outside its range (a negative length, a hash of the wrong size).
 */
export type CometErrorCode = "invalid-encoding" | "invalid-json" | "invalid-value";

/** Thrown by every decoder and parser of this package; `code` is stable, the message is for people. */
export class CometError extends Error {
  readonly code: CometErrorCode;

  constructor(code: CometErrorCode, message: string) {
    super(message);
    this.name = "CometError";
    this.code = code;
  }
}
