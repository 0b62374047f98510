/** JSON-RPC calls to a stranger's endpoint: bounded in size and time, no redirects, no secret in an error text. */

/** Why an endpoint's answer cannot be used. `message` holds no URL path, query or credential. */
export class EndpointError extends Error {
  readonly code: "unreachable" | "http-status" | "too-large" | "not-json-rpc" | "rpc-error" | "unexpected-shape";
  /** The endpoint asks to slow down (HTTP 429 or 503, JSON-RPC -32005). */
  readonly throttled: boolean;

  constructor(code: EndpointError["code"], message: string, throttled = false) {
    super(message);
    this.name = "EndpointError";
    this.code = code;
    this.throttled = throttled;
  }
}

export interface EndpointOptions {
  readonly url: string;
  readonly auth: { readonly header: string; readonly value: string } | undefined;
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
}

const THROTTLED_STATUS = new Set([429, 503]);
const THROTTLED_CODE = -32_005;
/** Shorter words are no secrets, and cutting them out would garble every text. */
const SHORTEST_SECRET = 6;

/** One call; resolves with the `result` member. Throws EndpointError; rejects with the signal's reason when aborted. */
export async function callEndpoint(
  endpoint: EndpointOptions,
  method: string,
  params: readonly unknown[],
  signal: AbortSignal,
): Promise<unknown> {
  const { timeoutMs = 10_000, maxBytes = 4 * 1024 * 1024 } = endpoint;
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const host = new URL(endpoint.url).host;
  let body: string;
  try {
    const response = await fetch(endpoint.url, {
      method: "POST",
      headers: { "content-type": "application/json", ...authHeader(endpoint.auth) },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      redirect: "error",
      signal: deadline,
    });
    body = await readBounded(response, maxBytes);
    if (!response.ok && !body.startsWith("{")) {
      throw new EndpointError("http-status", `${host} answered HTTP ${response.status}`, isThrottle(response.status));
    }
  } catch (error) {
    if (error instanceof EndpointError) throw error;
    signal.throwIfAborted();
    const why = deadline.aborted ? `no answer within ${timeoutMs} ms` : "connection failed";
    throw new EndpointError("unreachable", `${host}: ${why}`);
  }
  return unwrap(body, host, method, secretsOf(endpoint));
}

/** What of an endpoint must not come back in its own error texts: token, credentials, path and query of the URL. */
function secretsOf({ url, auth }: EndpointOptions): readonly string[] {
  const { username, password, pathname, search } = new URL(url);
  const words = [auth?.value ?? "", ...(auth?.value.split(" ").slice(1) ?? []), username, password, search];
  return [...words, ...words.map(decoded), ...pathname.split("/"), ...search.split(/[?&=]/)].filter(
    (word) => word.length >= SHORTEST_SECRET,
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A stranger's error text for our logs: one line, bounded, without what we sent as secret. */
function quoted(message: unknown, secrets: readonly string[]): string {
  if (typeof message !== "string") return "no reason given";
  const longestFirst = secrets.toSorted((a, b) => b.length - a.length);
  const told = longestFirst.reduce((text, secret) => text.replaceAll(secret, "***"), message.slice(0, 4_096));
  return told.replaceAll(/\p{Cc}+/gu, " ").slice(0, 200);
}

function authHeader(auth: EndpointOptions["auth"]): Record<string, string> {
  return auth === undefined ? {} : { [auth.header]: auth.value };
}

function isThrottle(status: number): boolean {
  return THROTTLED_STATUS.has(status);
}

async function readBounded(response: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > maxBytes) throw new EndpointError("too-large", `the answer is larger than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function unwrap(body: string, host: string, method: string, secrets: readonly string[]): unknown {
  let reply: { readonly result?: unknown; readonly error?: { readonly code?: unknown; readonly message?: unknown } };
  try {
    reply = JSON.parse(body);
  } catch {
    throw new EndpointError("not-json-rpc", `${host} did not answer ${method} with JSON`);
  }
  if (typeof reply !== "object" || reply === null) {
    throw new EndpointError("not-json-rpc", `${host} did not answer ${method} with a JSON-RPC object`);
  }
  if (reply.error !== undefined && reply.error !== null) {
    const text = `${host} refused ${method}: ${quoted(reply.error.message, secrets)}`;
    throw new EndpointError("rpc-error", text, reply.error.code === THROTTLED_CODE);
  }
  return reply.result;
}
