/** An operator's command that cannot be done; the message is written for the operator. */
export class OperationError extends Error {
  readonly code: "unknown-entry" | "bad-range" | "above-head" | "other-chain" | "unavailable" | "unknown-letter";

  constructor(code: OperationError["code"], message: string) {
    super(message);
    this.name = "OperationError";
    this.code = code;
  }
}
