/** A field of the configuration that cannot be used; nothing has started. */
export class ReaderConfigError extends Error {
  /** Where: `block_fetch_params[2].chain id`, `service_url`, … */
  readonly field: string;
  readonly expected: string;
  /** Of the file, from 1; undefined where it is not known. */
  readonly line: number | undefined;

  constructor(field: string, expected: string, line?: number) {
    super(`${field}${line === undefined ? "" : ` (line ${line})`}: ${expected}`);
    this.name = "ReaderConfigError";
    this.field = field;
    this.expected = expected;
    this.line = line;
  }
}
