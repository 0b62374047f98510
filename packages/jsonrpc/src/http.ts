/** Owns JSON-RPC over HTTP: method and content-type rules, CORS, the body limit, one reply per POST. */
import { isUtf8 } from "node:buffer";
import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { type AdmissionRules, classifyOrigin, isHostAllowed } from "./admission.ts";
import { errorReply, PARSE_ERROR } from "./envelope.ts";
import { type CallScope, type Runner, runMessage } from "./run-message.ts";
import type { RpcContext } from "./types.ts";

/** What serving HTTP needs beyond running messages. */
export interface HttpOptions extends Runner {
  readonly rules: AdmissionRules;
  /** Whether an `Authorization` header is acceptable; a present but wrong one answers 401. */
  readonly authenticate?: (header: string) => boolean;
}

const CONTENT_TYPES = new Set(["application/json", "application/json-rpc", "application/jsonrequest"]);

/** The status and text a request is refused with before its body is read; `undefined` when it may pass. */
export function refusalOf(headers: IncomingHttpHeaders, options: HttpOptions): [number, string] | undefined {
  if (!isHostAllowed(headers.host, options.rules)) return [403, "invalid host specified"];
  if (classifyOrigin(headers.origin, options.rules) === "refused") return [403, "origin not allowed"];
  const { authorization } = headers;
  if (authorization !== undefined && options.authenticate?.(authorization) === false) return [401, "invalid token"];
  return undefined;
}

/** The query string of a request's URL, if any. */
export function queryOf(url: string | undefined): string | undefined {
  const at = url?.indexOf("?") ?? -1;
  return url === undefined || at < 0 || at === url.length - 1 ? undefined : url.slice(at + 1);
}

function createScope(request: IncomingMessage, response: ServerResponse): CallScope {
  // Most calls never look at the signal: it is made when it is asked for.
  let controller: AbortController | undefined;
  let aborted = false;
  const abort = (): void => {
    aborted = true;
    controller?.abort();
  };
  const { authorization } = request.headers;
  const query = queryOf(request.url);
  const context: RpcContext = {
    transport: "http",
    remoteAddress: request.socket.remoteAddress ?? "",
    ...(authorization === undefined ? {} : { authorization }),
    ...(query === undefined ? {} : { query }),
    get signal(): AbortSignal {
      if (controller === undefined) {
        controller = new AbortController();
        if (aborted) controller.abort();
        response.once("close", abort);
      }
      return controller.signal;
    },
  };
  return { context, abort };
}

function refuse(response: ServerResponse, status: number, text: string, close: boolean): void {
  const headers = { "content-type": "text/plain; charset=utf-8", ...(close ? { connection: "close" } : {}) };
  response.writeHead(status, headers).end(`${text}\n`);
}

function allowOrigin(response: ServerResponse, origin: string): void {
  response.setHeader("access-control-allow-origin", origin);
  response.setHeader("vary", "Origin");
}

function preflight(request: IncomingMessage, response: ServerResponse, allowed: boolean): void {
  if (allowed && request.headers["access-control-request-method"] !== undefined) {
    response.setHeader("access-control-allow-methods", "POST, GET");
    response.setHeader("access-control-allow-headers", "authorization, content-type");
    response.setHeader("access-control-max-age", "600");
  }
  response.writeHead(204).end();
}

function hasBody(headers: IncomingHttpHeaders): boolean {
  return headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";
}

function statusBeforeBody(request: IncomingMessage, bodyBytes: number): [number, string] | undefined {
  const { method, headers } = request;
  if (method === "PUT" || method === "DELETE" || method === "PATCH") return [405, "method not allowed"];
  const declared = Number(headers["content-length"] ?? 0);
  if (declared > bodyBytes) return [413, `content length too large (${declared}>${bodyBytes})`];
  const type = (headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (!CONTENT_TYPES.has(type)) return [415, "invalid content type, only application/json is supported"];
  return undefined;
}

/** Bytes held at the moment for all connections: request bodies, and replies that peers have not read yet. */
interface Held {
  bytes: number;
  replyBytes: number;
}

/** One request of a connection, and what is held for all of them. */
interface Exchange {
  readonly options: HttpOptions;
  readonly held: Held;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Calls `release` once: when the response is out, or the connection ends with it still queued behind another. */
function whenOver({ request, response }: Exchange, release: () => void): void {
  const { socket } = request;
  const over = (): void => {
    socket.off("close", over);
    response.off("close", over);
    release();
  };
  // As many as the peer has requests under way on this connection: no leak to be warned of.
  socket.setMaxListeners(0);
  socket.once("close", over);
  response.once("close", over);
}

function sendReply(exchange: Exchange, reply: string | undefined): void {
  const { options, held, request, response } = exchange;
  if (response.writableEnded || response.destroyed || request.socket.destroyed) return;
  const body = reply ?? "";
  const length = Buffer.byteLength(body);
  if (held.replyBytes + length > options.limits.repliesBytes) {
    refuse(response, 503, "too many replies are waiting to be read", true);
    return;
  }
  held.replyBytes += length;
  whenOver(exchange, () => {
    held.replyBytes -= length;
  });
  response.writeHead(200, { "content-type": "application/json", "content-length": length });
  response.end(body);
}

function answer(exchange: Exchange, body: Buffer): void {
  const { options, request, response } = exchange;
  if (!isUtf8(body)) {
    sendReply(exchange, errorReply("null", PARSE_ERROR));
    return;
  }
  const scope = createScope(request, response);
  const reply = runMessage(options, body.toString("utf8"), scope);
  if (reply instanceof Promise) void reply.then((text) => sendReply(exchange, text));
  else sendReply(exchange, reply);
}

function readBody(exchange: Exchange): void {
  const { options, held, request, response } = exchange;
  const chunks: Buffer[] = [];
  let length = 0;
  const { bodyBytes, bodiesBytes } = options.limits;
  const release = (): void => {
    held.bytes -= length;
    length = 0;
  };
  whenOver(exchange, release);
  const giveUp = (status: number, text: string): void => {
    request.off("data", onData).off("end", onEnd);
    request.resume();
    chunks.length = 0;
    release();
    refuse(response, status, text, true);
  };
  const onData = (chunk: Buffer): void => {
    length += chunk.length;
    held.bytes += chunk.length;
    if (length > bodyBytes) giveUp(413, `content length too large (>${bodyBytes})`);
    else if (held.bytes > bodiesBytes) giveUp(503, "too many requests in progress");
    else chunks.push(chunk);
  };
  const onEnd = (): void => answer(exchange, joined(chunks));
  request.on("data", onData).on("end", onEnd);
  // A peer that goes away mid-request has nobody to tell.
  request.on("error", () => undefined);
}

function joined(chunks: readonly Buffer[]): Buffer {
  const [first] = chunks;
  return chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
}

/** The request listener of the HTTP side. */
export function createHttpListener(options: HttpOptions): RequestListener {
  const held: Held = { bytes: 0, replyBytes: 0 };
  return (request, response) => {
    const refusal = refusalOf(request.headers, options);
    if (refusal !== undefined) return refuse(response, ...refusal, true);
    const { origin } = request.headers;
    const allowed = classifyOrigin(origin, options.rules) === "allowed";
    if (allowed && origin !== undefined) allowOrigin(response, origin);
    if (request.method === "OPTIONS") return preflight(request, response, allowed);
    const path = request.url?.split("?", 1)[0];
    if (path !== "/") return refuse(response, 404, "not found", true);
    const isProbe = request.method === "GET" || request.method === "HEAD";
    if (isProbe && !hasBody(request.headers) && queryOf(request.url) === undefined) {
      response.writeHead(200, { "content-length": 0 }).end();
      return;
    }
    const early = statusBeforeBody(request, options.limits.bodyBytes);
    if (early !== undefined) return refuse(response, ...early, true);
    readBody({ options, held, request, response });
  };
}
