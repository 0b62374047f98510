/** What can be wrong with Bitcoin or OpenTimestamps bytes. */
export type BitcoinFormatCode =
  | "truncated"
  | "trailing-bytes"
  | "not-minimal"
  | "too-large"
  | "bad-length"
  | "bad-hex"
  | "bad-witness"
  | "bad-magic"
  | "unsupported-version"
  | "unknown-operation"
  | "bad-attestation"
  | "too-deep";

/** Bytes that are not what they claim to be. `code` is stable, the message is for people. */
export class BitcoinFormatError extends Error {
  readonly code: BitcoinFormatCode;
  constructor(code: BitcoinFormatCode, message: string) {
    super(message);
    this.name = "BitcoinFormatError";
    this.code = code;
  }
}
