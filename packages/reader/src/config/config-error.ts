/** A field of the configuration that cannot be used; nothing has started. */
export class ReaderConfigError extends Error {
  /** Where: `block_fetch_params[2].chain id`, `service_url`, … */
  readonly field: string;

  constructor(field: string, expected: string) {
    super(`${field}: ${expected}`);
    this.name = "ReaderConfigError";
    this.field = field;
  }
}
