/** Owns the logger's shape this package writes to; not its levels, targets or redaction. */

/** The minimal logger: structured fields first, then one sentence. A pino logger fits. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
