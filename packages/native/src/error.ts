/** The error of this package and how the addon's errors become it. */
import type { NativeErrorCode } from "./boundary/native.ts";

const CODES: ReadonlySet<string> = new Set<NativeErrorCode>([
  "addon-missing",
  "genesis-mismatch",
  "invalid-genesis",
  "locked",
  "corrupt",
  "io",
  "closed",
  "state",
]);

/**
 * A surprise of the Rust core: disk, corruption, a foreign database, misuse. Expected outcomes are values, never this.
 * `message` is for logs, not for users.
 */
export class NativeError extends Error {
  override readonly name = "NativeError";
  readonly code: NativeErrorCode;

  constructor(code: NativeErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

function isCode(text: string): text is NativeErrorCode {
  return CODES.has(text);
}

/** The addon's errors read `code: detail`; anything else is a fault of the boundary itself. */
export function toNativeError(thrown: unknown): NativeError {
  if (thrown instanceof NativeError) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const colon = message.indexOf(": ");
  const code = message.slice(0, Math.max(colon, 0));
  return isCode(code) ? new NativeError(code, message.slice(colon + 2)) : new NativeError("state", message);
}
