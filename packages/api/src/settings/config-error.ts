/** Owns the errors of a configuration. */

/**
 * - `unreadable`: the file is missing or no TOML.
 * - `unknown-key`: no such setting; the message names the nearest.
 * - `invalid-value`: the message says what is expected.
 */
export type ConfigErrorCode = "unreadable" | "unknown-key" | "invalid-value";

/** A configuration that cannot be used; `source` is where the fault stands: a flag, a variable or a key of the file. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly code: ConfigErrorCode;
  readonly source: string;
  constructor(code: ConfigErrorCode, source: string, problem: string, options?: ErrorOptions) {
    super(`${source}: ${problem}`, options);
    this.code = code;
    this.source = source;
  }
}
