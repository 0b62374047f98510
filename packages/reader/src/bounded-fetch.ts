/**
 * HTTP to strangers: bounded in size and time; a redirect is followed only within the same host. Owns no meaning of
 * what is answered.
 */
import { connectionReason } from "./connection-reason.ts";
import { EndpointError } from "./endpoint-error.ts";
import { authHeaders, type EndpointAddress } from "./endpoint-secrets.ts";

/** Most time and bytes of an answer. */
export interface FetchBounds {
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

/** One HTTP request. */
export interface FetchRequest {
  readonly method: "GET" | "POST";
  readonly url: string;
  /** JSON text. */
  readonly body?: string;
}

/** One HTTP answer, whole. */
export interface FetchAnswer {
  readonly status: number;
  readonly ok: boolean;
  readonly body: string;
  /** Of header Retry-After, bounded; undefined where there is none. */
  readonly retryAfterMs: number | undefined;
}

const MOST_REDIRECTS = 3;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** One request. Throws EndpointError; rejects with the signal's reason when aborted. */
export async function fetchBounded(
  address: EndpointAddress,
  request: FetchRequest,
  bounds: FetchBounds,
  signal: AbortSignal,
): Promise<FetchAnswer> {
  const { host } = new URL(request.url);
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(bounds.timeoutMs)]);
  try {
    const response = await follow(address, request, deadline);
    const { status, ok, headers } = response;
    const body = await readBounded(response, bounds.maxBytes, host);
    return { status, ok, body, retryAfterMs: retryAfterMs(headers.get("retry-after")) };
  } catch (error) {
    if (error instanceof EndpointError) throw error;
    signal.throwIfAborted();
    const late = deadline.aborted;
    const why = late ? `no answer within ${bounds.timeoutMs} ms` : connectionReason(error);
    throw new EndpointError("unreachable", `${host}: ${why}`, { timedOut: late });
  }
}

/** Longer rests are not believed: what may be tried again is tried again. */
const LONGEST_REST_MS = 900_000;

/** Of seconds or a date (RFC 9110, section 10.2.3). */
function retryAfterMs(header: string | null): number | undefined {
  if (header === null) return undefined;
  const ms = /^\d{1,9}$/.test(header.trim()) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) ? Math.min(LONGEST_REST_MS, Math.max(0, ms)) : undefined;
}

async function follow(address: EndpointAddress, request: FetchRequest, signal: AbortSignal): Promise<Response> {
  const headers = { accept: "application/json", ...authHeaders(address) };
  const body = request.body === undefined ? {} : { body: request.body };
  const typed = request.body === undefined ? headers : { "content-type": "application/json", ...headers };
  let url = withoutCredentials(request.url);
  for (let hop = 0; hop <= MOST_REDIRECTS; hop += 1) {
    const response = await fetch(url, { method: request.method, headers: typed, ...body, redirect: "manual", signal });
    if (!REDIRECTS.has(response.status)) return response;
    const target = URL.parse(response.headers.get("location") ?? "", url);
    await response.body?.cancel();
    url = allowedTarget(new URL(url), target, request.method, response.status);
  }
  throw new EndpointError("redirect", `${new URL(url).host} redirects in circles`);
}

/** A token goes to the host it was given for and nowhere else; a POST is not turned into a GET. */
function allowedTarget(from: URL, to: URL | null, method: string, status: number): string {
  const sameHost = to !== null && to.host === from.host && to.protocol === from.protocol;
  if (!sameHost) throw new EndpointError("redirect", `${from.host} redirects to another host; name that one instead`);
  if (method === "POST" && status !== 307 && status !== 308) {
    throw new EndpointError("redirect", `${from.host} redirects a POST; name the target's URL instead`);
  }
  return to.href;
}

/** fetch refuses URLs with credentials; they travel as a header. */
function withoutCredentials(text: string): string {
  const url = new URL(text);
  url.username = "";
  url.password = "";
  return url.href;
}

async function readBounded(response: Response, maxBytes: number, host: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > maxBytes)
      throw new EndpointError("too-large", `${host}: the answer is larger than ${maxBytes} bytes (option max_bytes)`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
