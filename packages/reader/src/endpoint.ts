/** Calls to one endpoint of a chain: JSON-RPC, and plain REST where a chain speaks it. */

import { type FetchAnswer, type FetchRequest, fetchBounded } from "./bounded-fetch.ts";
import { parseBoundedJson } from "./bounded-json.ts";
import type { CallLimits } from "./call-limits.ts";
import { EndpointError } from "./endpoint-error.ts";
import { type EndpointAddress, quoted, secretsOf } from "./endpoint-secrets.ts";
import { createGrpcCall, type GrpcCall } from "./grpc-call.ts";

/** Where an endpoint is and what it may take. */
export interface EndpointOptions extends EndpointAddress {
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
  /** Undefined: calls begin at once. */
  readonly limits?: CallLimits | undefined;
}

/** One endpoint as its callers see it. Every call throws EndpointError, or the signal's reason when aborted. */
export interface Endpoint {
  /** Of the URL; nothing else of it may be shown. */
  readonly host: string;
  /** A JSON-RPC call; resolves with the `result` member. */
  rpc(method: string, params: unknown, signal: AbortSignal): Promise<unknown>;
  /** A REST call below the URL's path: GET, or POST when there is a body; resolves with the JSON answered. */
  rest(path: string, body: unknown, signal: AbortSignal): Promise<unknown>;
  /** A unary gRPC call; both messages are bytes. */
  readonly grpc: GrpcCall;
}

const QUOTA = /rate.?limit|too many requests|quota|compute units|throughput|capacity exceeded|daily request/i;
const THROTTLED_STATUS = new Set([429, 503]);
const THROTTLED_CODE = -32_005;

/** An endpoint at a URL. */
export function createEndpoint(options: EndpointOptions): Endpoint {
  const bounds = { timeoutMs: options.timeoutMs ?? 10_000, maxBytes: options.maxBytes ?? 4 * 1024 * 1024 };
  const { host } = new URL(options.url);
  const secrets = secretsOf(options);
  const grpc = createGrpcCall(options, bounds);
  function send(request: FetchRequest, signal: AbortSignal): Promise<FetchAnswer> {
    const call = () => fetchBounded(options, request, bounds, signal);
    return options.limits === undefined ? call() : options.limits.run(host, call, signal);
  }
  return {
    host,
    async rpc(method, params, signal) {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
      const answer = await send({ method: "POST", url: options.url, body }, signal);
      if (!answer.ok && !answer.body.startsWith("{")) throw httpStatus(answer, host);
      return unwrap(answer, host, method, secrets);
    },
    grpc(path, message, signal) {
      const run = () => grpc(path, message, signal);
      return options.limits === undefined ? run() : options.limits.run(host, run, signal);
    },
    async rest(path, body, signal) {
      const url = below(options.url, path);
      const request = body === undefined ? {} : { body: JSON.stringify(body) };
      const method = body === undefined ? "GET" : "POST";
      const answer = await send({ method, url, ...request }, signal);
      if (!answer.ok) throw httpStatus(answer, host);
      return parseBoundedJson(answer.body, host);
    },
  };
}

/** `path` below the URL's own; a first segment that the URL already ends with is not repeated. */
function below(base: string, path: string): string {
  const url = new URL(base);
  const own = url.pathname.replace(/\/+$/, "");
  const [target = "", search] = path.split("?");
  const first = `/${target.split("/")[1]}`;
  url.pathname = own.endsWith(first) ? own + target.slice(first.length) : own + target;
  if (search !== undefined) for (const [key, value] of new URLSearchParams(search)) url.searchParams.set(key, value);
  return url.href;
}

function httpStatus(answer: FetchAnswer, host: string): EndpointError {
  const { status, body } = answer;
  const throttled = THROTTLED_STATUS.has(status);
  return new EndpointError("http-status", `${host} answered HTTP ${status}`, {
    status,
    throttled,
    retryAfterMs: answer.retryAfterMs,
    said: body.slice(0, 4_096),
  });
}

interface Reply {
  readonly result?: unknown;
  readonly error?: { readonly code?: unknown; readonly message?: unknown } | null;
}

function unwrap(answer: FetchAnswer, host: string, method: string, secrets: readonly string[]): unknown {
  const reply = parseBoundedJson(answer.body, host);
  if (typeof reply !== "object" || reply === null) {
    throw new EndpointError("not-json", `${host} did not answer ${method} with a JSON-RPC object`);
  }
  const { error, result } = reply as Reply;
  if (error !== undefined && error !== null) {
    const code = typeof error.code === "number" ? error.code : undefined;
    const said = JSON.stringify(error).slice(0, 4_096);
    const throttled = code === THROTTLED_CODE || THROTTLED_STATUS.has(answer.status) || QUOTA.test(said);
    const text = `${host} refused ${method}: ${quoted(error.message, secrets)}`;
    const { retryAfterMs } = answer;
    const status = code === undefined ? {} : { status: code };
    throw new EndpointError("rpc-error", text, { throttled, said, retryAfterMs, ...status });
  }
  if (result === undefined && !answer.ok) throw httpStatus(answer, host);
  if (result === undefined) {
    throw new EndpointError("not-json", `${host} did not answer ${method} with a JSON-RPC result`);
  }
  return result;
}
