/** Owns telling an operator why the REST listener cannot be opened. */

/** An address that cannot be listened on. `code` is the system's. */
export class ServiceListenError extends Error {
  override readonly name = "ServiceListenError";
  readonly code: string;
  constructor(code: string, message: string, cause: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: "the port is already in use",
  EADDRNOTAVAIL: "this machine has no such address",
  ENOTFOUND: "this machine has no such address",
  EACCES: "not permitted",
};

/** The error of opening a listener, in words; other errors unchanged. */
export function nameListenError(error: unknown, { host, port }: { readonly host: string; readonly port: number }) {
  const code = String((error as { readonly code?: unknown }).code);
  const reason = REASONS[code];
  if (reason === undefined) return error;
  const where = host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
  return new ServiceListenError(code, `cannot listen on ${where}: ${reason}`, error);
}
