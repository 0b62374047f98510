/** Owns JSON-RPC over HTTP: method and content-type rules, CORS, the body limit, one reply per POST. */
import { isUtf8 } from "node:buffer";
import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type AdmissionRules, classifyOrigin, isHostAllowed } from "./admission.ts";
import { errorReply, PARSE_ERROR } from "./envelope.ts";
import { createPipelines, type Place } from "./http-pipeline.ts";
import type { ReplyBudget, ReplyHolder } from "./reply-budget.ts";
import { type CallScope, type Runner, runMessage } from "./run-message.ts";
import type { RpcContext } from "./types.ts";

/** What serving HTTP needs beyond running messages. */
export interface HttpOptions extends Runner {
  readonly rules: AdmissionRules;
  /** Whether an `Authorization` header is acceptable; a present but wrong one answers 401. */
  readonly authenticate?: (header: string) => boolean;
  /** Replies in memory over all connections. */
  readonly replies: ReplyBudget;
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

type Writable<T> = { -readonly [K in keyof T]: T[K] };

function createScope(exchange: Exchange): CallScope {
  const { request, response } = exchange;
  // Most calls never look at the signal: it is made when it is asked for.
  let controller: AbortController | undefined;
  let aborted = false;
  const abort = (): void => {
    aborted = true;
    controller?.abort();
  };
  const context: Writable<RpcContext> = {
    transport: "http",
    remoteAddress: request.socket.remoteAddress ?? "",
    get signal(): AbortSignal {
      if (controller === undefined) {
        controller = new AbortController();
        if (aborted) controller.abort();
        response.once("close", abort);
      }
      return controller.signal;
    },
  };
  const { authorization } = request.headers;
  const query = queryOf(request.url);
  if (authorization !== undefined) context.authorization = authorization;
  if (query !== undefined) context.query = query;
  return {
    context,
    abort,
    hold(bytes) {
      exchange.replyBytes += bytes;
      exchange.holder.hold(bytes);
    },
    isOver: () => exchange.over,
  };
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
  const stated = headers["content-type"] ?? "";
  if (!CONTENT_TYPES.has(stated) && !CONTENT_TYPES.has(stated.split(";", 1)[0]?.trim().toLowerCase() ?? ""))
    return [415, "invalid content type, only application/json is supported"];
  return undefined;
}

/** Bytes of request bodies held at the moment for all connections. */
interface Held {
  bytes: number;
}

/** One request of a connection, and what it holds of the bytes of all. */
interface Exchange {
  readonly options: HttpOptions;
  readonly held: Held;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Its connection's account of replies. */
  readonly holder: ReplyHolder;
  readonly place: Place;
  requestBytes: number;
  replyBytes: number;
  over: boolean;
}

/** The exchanges of an open connection, more than one when a peer pipelines, and what they hold of all replies. */
interface Peer {
  readonly exchanges: Set<Exchange>;
  readonly holder: ReplyHolder;
}

function release(exchange: Exchange): void {
  exchange.held.bytes -= exchange.requestBytes;
  exchange.holder.release(exchange.replyBytes);
  exchange.requestBytes = 0;
  exchange.replyBytes = 0;
}

/** How long a peer that is cut has to read why. */
const CUT_GRACE_MS = 1_000;

/** Ends a connection: with a reason where a reply is still to come, since one that lies unread cannot be recalled. */
function cutPeer(socket: Socket, exchanges: ReadonlySet<Exchange>): void {
  const [current] = exchanges;
  for (const exchange of exchanges) exchange.over = true;
  if (current === undefined || current.response.headersSent) {
    socket.destroy();
    return;
  }
  refuse(current.response, 503, "too many replies are waiting to be read", true);
  setTimeout(() => socket.destroy(), CUT_GRACE_MS).unref();
}

/** The state of open connections; what a connection holds is released when it ends. */
function createPeers({ replies, log }: HttpOptions): (socket: Socket) => Peer {
  const open = new WeakMap<Socket, Peer>();
  return (socket) => {
    const known = open.get(socket);
    if (known !== undefined) return known;
    const exchanges = new Set<Exchange>();
    const holder = replies.open((heldBytes) => {
      log.warn({ remoteAddress: socket.remoteAddress, heldBytes }, "HTTP connection cut: too many unread replies");
      cutPeer(socket, exchanges);
    });
    socket.once("close", () => {
      for (const left of exchanges) left.over = true;
      for (const left of exchanges) release(left);
      exchanges.clear();
      holder.end();
    });
    const peer = { exchanges, holder };
    open.set(socket, peer);
    return peer;
  };
}

/** Releases what the exchange holds when its response is out, and lets the next one of its connection begin. */
function releaseWhenOver(exchange: Exchange, exchanges: Set<Exchange>): void {
  exchanges.add(exchange);
  exchange.response.once("close", () => {
    exchange.over = true;
    exchanges.delete(exchange);
    release(exchange);
    exchange.place.over();
  });
}

function sendReply(exchange: Exchange, reply: string | undefined): void {
  const { request, response } = exchange;
  const body = reply ?? "";
  const length = Buffer.byteLength(body);
  // A batch counted its parts while they were made.
  const more = length - exchange.replyBytes;
  exchange.replyBytes = length;
  if (more > 0) exchange.holder.hold(more);
  else exchange.holder.release(-more);
  if (exchange.over || response.writableEnded || response.destroyed || request.socket.destroyed) return;
  response.writeHead(200, { "content-type": "application/json", "content-length": length });
  // As many bytes as characters: all of them are ASCII, which needs no transcoding.
  response.end(body, length === body.length ? "latin1" : "utf8");
}

function answer(exchange: Exchange, body: Buffer): void {
  if (!isUtf8(body)) {
    sendReply(exchange, errorReply("null", PARSE_ERROR));
    return;
  }
  const reply = runMessage(exchange.options, body.toString("utf8"), createScope(exchange));
  if (reply instanceof Promise) void reply.then((text) => sendReply(exchange, text));
  else sendReply(exchange, reply);
}

function readBody(exchange: Exchange): void {
  const { options, held, request, response } = exchange;
  const chunks: Buffer[] = [];
  const { bodyBytes, bodiesBytes } = options.limits;
  const giveUp = (status: number, text: string): void => {
    request.off("data", onData).off("end", onEnd);
    request.resume();
    chunks.length = 0;
    release(exchange);
    refuse(response, status, text, true);
  };
  const onData = (chunk: Buffer): void => {
    if (exchange.over) return;
    exchange.requestBytes += chunk.length;
    held.bytes += chunk.length;
    if (exchange.requestBytes > bodyBytes) giveUp(413, `content length too large (>${bodyBytes})`);
    else if (held.bytes > bodiesBytes) giveUp(503, "too many requests in progress");
    else chunks.push(chunk);
  };
  // A peer that goes away mid-request has nobody to tell: without a listener Node.js raises no error for it.
  const onEnd = (): void => exchange.place.ready(() => answer(exchange, joined(chunks)));
  request.on("data", onData).on("end", onEnd);
}

function joined(chunks: readonly Buffer[]): Buffer {
  const [first] = chunks;
  return chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
}

/** Requests of one client carry the same headers again and again: the last ones that passed pass at once. */
function createHeaderCheck(options: HttpOptions): (headers: IncomingHttpHeaders) => [number, string] | undefined {
  let host: string | undefined;
  return (headers) => {
    const isPlain = headers.origin === undefined && headers.authorization === undefined;
    if (isPlain && host !== undefined && headers.host === host) return undefined;
    const refusal = refusalOf(headers, options);
    if (refusal === undefined) host = headers.host;
    return refusal;
  };
}

/** The request listener of the HTTP side. */
export function createHttpListener(options: HttpOptions): RequestListener {
  const held: Held = { bytes: 0 };
  const peerOf = createPeers(options);
  const pipelines = createPipelines();
  const refusalBy = createHeaderCheck(options);
  return (request, response) => {
    const { headers, method, url } = request;
    const refusal = refusalBy(headers);
    if (refusal !== undefined) return refuse(response, ...refusal, true);
    const { origin } = headers;
    const allowed = origin !== undefined && classifyOrigin(origin, options.rules) === "allowed";
    if (allowed) allowOrigin(response, origin);
    if (method === "OPTIONS") return preflight(request, response, allowed);
    if (url !== "/" && url?.split("?", 1)[0] !== "/") return refuse(response, 404, "not found", true);
    const isProbe = method === "GET" || method === "HEAD";
    if (isProbe && !hasBody(headers) && queryOf(url) === undefined) {
      response.writeHead(200, { "content-length": 0 }).end();
      return;
    }
    const early = statusBeforeBody(request, options.limits.bodyBytes);
    if (early !== undefined) return refuse(response, ...early, true);
    const place = pipelines.enter(request.socket);
    if (place === undefined) return refuse(response, 503, "too many pipelined requests", true);
    const { exchanges, holder } = peerOf(request.socket);
    const base = { options, held, request, response, holder, place };
    const exchange = { ...base, requestBytes: 0, replyBytes: 0, over: false };
    releaseWhenOver(exchange, exchanges);
    readBody(exchange);
  };
}
