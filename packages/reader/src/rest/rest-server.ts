/**
 * The reader's REST endpoint: pushes, their state, the entries' state, health and metrics. JSON; errors are RFC 9457
 * problems with a stable `code`.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Log } from "../log.ts";
import type { Push } from "../state/pushes.ts";
import type { StateStore } from "../state/state-store.ts";
import { lagOf } from "../worker/entry-status.ts";
import type { EntryWorker } from "../worker/entry-worker.ts";
import { type EntryFigures, renderMetrics } from "./metrics.ts";
import type { PushAnswer, PushDoor } from "./push-door.ts";

/** Where the reader's HTTP listens and what it serves. */
export interface RestServerOptions {
  readonly host: string;
  readonly port: number;
  readonly token: string | undefined;
  /** Undefined: health and metrics only. */
  readonly door: PushDoor | undefined;
  /** The workers as they are now. */
  readonly workers: () => readonly EntryWorker[];
  readonly store: StateStore;
  readonly mode: string;
  readonly log: Log;
}

/** It, listening. */
export interface RestServer {
  readonly url: string;
  close(): Promise<void>;
}

/** The address of the reader cannot be used. */
export class ReaderListenError extends Error {
  readonly code = "listen-failed";
}

/** Listens; throws ReaderListenError when the port is taken. */
export async function startRestServer(options: RestServerOptions): Promise<RestServer> {
  const server = createServer({ requestTimeout: 30_000, headersTimeout: 10_000 }, (request, response) => {
    handle(options, request, response).catch((error: unknown) => {
      options.log.error({ reason: error instanceof Error ? error.message : "unknown" }, "request failed");
      problem(response, 503, "unavailable", "the request could not be served now");
    });
  });
  await listen(server, options.host, options.port);
  const { port } = server.address() as AddressInfo;
  const host = options.host.includes(":") ? `[${options.host}]` : options.host;
  return {
    url: `http://${host}:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      reject(
        new ReaderListenError(`the reader cannot listen on ${host}:${port} (${error.code}): choose another --address`),
      );
    });
    server.listen(port, host, resolve);
  });
}

async function handle(options: RestServerOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  request.resume();
  const url = URL.parse(request.url ?? "/", "http://reader");
  if (url === null) return problem(response, 400, "bad-request", "the request target is no path");
  const path = url.pathname;
  if (path === "/healthz") return healthz(options, response);
  if (path === "/metrics") return metrics(options, response);
  if (options.door === undefined) return problem(response, 404, "not-found", "health and metrics only");
  if (!authorized(options.token, request.headers.authorization)) {
    response.setHeader("www-authenticate", "Bearer");
    return problem(response, 401, "unauthorized", "a valid bearer token is needed");
  }
  const push = /^\/add-block-by-number\/([^/]*)$/.exec(path)?.[1];
  if (push !== undefined) return addBlock(options.door, request, response, url, push);
  const id = /^\/blocks\/([^/]+)$/.exec(path)?.[1];
  if (id !== undefined && isRead(request)) return block(options, response, id);
  if (path === "/status" && isRead(request)) return status(options, response);
  return problem(response, 404, "not-found", "no such path");
}

function isRead(request: IncomingMessage): boolean {
  return request.method === "GET" || request.method === "HEAD";
}

function metrics(options: RestServerOptions, response: ServerResponse): void {
  const text = renderMetrics(figures(options), options.store.pushes.waiting());
  send(response, 200, text, "text/plain; version=0.0.4");
}

async function addBlock(
  door: PushDoor,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
  number: string,
): Promise<void> {
  if (request.method !== "POST") {
    response.setHeader("allow", "POST");
    return problem(response, 405, "method-not-allowed", "use POST");
  }
  const chain = url.searchParams.get("chain") ?? undefined;
  const strict = url.searchParams.get("strict") === "true";
  const answer: PushAnswer = await door.add({ number, chain, strict }, AbortSignal.timeout(20_000));
  if (!("push" in answer)) return problem(response, answer.status, answer.code, answer.detail);
  response.setHeader("location", statusUrl(answer.push));
  json(response, answer.status, pushBody(answer.push, answer.worker));
}

function block(options: RestServerOptions, response: ServerResponse, id: string): void {
  const push = options.store.pushes.get(id);
  const worker = options.workers().find(({ entry }) => entry.key === push?.chain);
  if (push === undefined || worker === undefined) problem(response, 404, "not-found", "no such block");
  else json(response, 200, pushBody(push, worker));
}

function status(options: RestServerOptions, response: ServerResponse): void {
  const entries = figures(options).map((entry) => ({
    chain: entry.chain,
    kind: entry.kind,
    chain_id: entry.chainId,
    cursor: entry.cursor?.toString() ?? null,
    head: entry.head?.toString() ?? null,
    takeable: entry.takeable?.toString() ?? null,
    lag: lagOf(entry)?.toString() ?? null,
    submitted: entry.submitted,
    errors: entry.errors,
    reorgs: entry.reorgs,
    dead_letters: entry.deadLetters,
    endpoint_dissents: Object.fromEntries(entry.dissents),
    last_success: entry.lastSuccessMs === undefined ? null : new Date(entry.lastSuccessMs).toISOString(),
    last_error: entry.lastError ?? null,
    stopped: entry.stopped ?? null,
  }));
  json(response, 200, { mode: options.mode, queued: options.store.pushes.waiting(), entries });
}

/** 503 when an entry has stopped: somebody has to look. */
function healthz(options: RestServerOptions, response: ServerResponse): void {
  const stopped = options.workers().filter((worker) => worker.status().stopped !== undefined);
  json(response, stopped.length === 0 ? 200 : 503, {
    status: stopped.length === 0 ? "ok" : "degraded",
    stopped: stopped.map(({ entry }) => entry.key),
  });
}

function figures(options: RestServerOptions): readonly EntryFigures[] {
  return options.workers().map((worker) => ({
    ...worker.status(),
    deadLetters: options.store.letters.open(worker.entry.key),
  }));
}

function pushBody(push: Push, { entry }: EntryWorker) {
  return {
    id: push.id,
    chain: entry.name,
    kind: entry.kind,
    chain_id: entry.chainId,
    block_number: push.height.toString(),
    status: push.status,
    status_url: statusUrl(push),
    submission_id: push.submissionId ?? null,
    error: push.error ?? null,
  };
}

function statusUrl(push: Push): string {
  return `/blocks/${push.id}`;
}

/** Compares digests, so neither length nor content leaks through time. */
function authorized(token: string | undefined, header: string | undefined): boolean {
  if (token === undefined) return true;
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(`Bearer ${token}`), digest(header ?? ""));
}

function problem(response: ServerResponse, status: number, code: string, detail: string): void {
  const body = { type: `urn:cairn:problem:${code}`, title: code.replaceAll("-", " "), status, detail, code };
  send(response, status, JSON.stringify(body), "application/problem+json");
}

function json(response: ServerResponse, status: number, body: object): void {
  send(response, status, JSON.stringify(body), "application/json");
}

function send(response: ServerResponse, status: number, body: string, type: string): void {
  response.writeHead(status, { "content-type": type, "content-length": Buffer.byteLength(body) });
  response.end(body);
}
