/** What may be told of an error beyond the log: the reader's status and its answers hold no paths of the machine. */

/** The error's message; of a file's error its code alone. */
export function publicReason(error: unknown): string {
  if (!(error instanceof Error)) return "unknown error";
  const { code, path } = error as NodeJS.ErrnoException;
  if (path === undefined) return error.message;
  return `the reader's files cannot be read or written (${code ?? "no code"}); the log has more`;
}
