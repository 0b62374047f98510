/** Why a connection failed, in words for an operator. Owns the codes that Node, OpenSSL and its fetch give. */

const WORDS: Readonly<Record<string, string>> = {
  ENOTFOUND: "the host's name is not known",
  EAI_AGAIN: "the host's name cannot be looked up now",
  ECONNREFUSED: "connection refused",
  ECONNRESET: "the connection was closed",
  EPIPE: "the connection was closed",
  UND_ERR_SOCKET: "the connection was closed",
  EHOSTUNREACH: "the host cannot be reached",
  ENETUNREACH: "the network cannot be reached",
  ETIMEDOUT: "no connection in time",
  UND_ERR_CONNECT_TIMEOUT: "no connection in time",
  EMFILE: "too many files are open on this machine",
  EPROTO: "it does not speak TLS as asked",
  ERR_SSL_WRONG_VERSION_NUMBER: "it does not speak TLS: is the URL http?",
  ERR_SSL_PACKET_LENGTH_TOO_LONG: "it does not speak TLS: is the URL http?",
  CERT_HAS_EXPIRED: "its certificate has expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate is self-signed",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate is of no known authority",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another host",
  UND_ERR_HEADERS_OVERFLOW: "its headers are too large",
};

/** The Fetch standard keeps a list of ports of other protocols. */
const BAD_PORT = "HTTP is not spoken at this port (it is on fetch's list of bad ports)";

/** The reason of an error of `fetch` or `node:http2`; never the error's own text, which may quote a URL. */
export function connectionReason(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof Error && cause.message === "bad port") return BAD_PORT;
  if (cause instanceof Error && cause.name === "HTTPParserError") return "it does not speak HTTP";
  const code = codeOf(error);
  if (code === undefined) return "connection failed";
  return WORDS[code] ?? `connection failed (${code})`;
}

/** The innermost code; several addresses of one host may have failed each by itself. */
function codeOf(error: unknown, depth = 0): string | undefined {
  if (typeof error !== "object" || error === null || depth > 4) return undefined;
  const { cause, errors, code } = error as {
    readonly cause?: unknown;
    readonly errors?: unknown;
    readonly code?: unknown;
  };
  const inner = codeOf(cause, depth + 1) ?? (Array.isArray(errors) ? codeOf(errors[0], depth + 1) : undefined);
  return inner ?? (typeof code === "string" && /^[A-Z0-9_]{1,60}$/.test(code) ? code : undefined);
}
