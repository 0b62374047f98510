/**
 * The reader's REST endpoint: pushes, their state, the entries' state, health and metrics. JSON; errors are RFC 9457
 * problems with a stable `code`.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Log } from "../log.ts";
import type { Push } from "../state/pushes.ts";
import type { StateStore } from "../state/state-store.ts";
import { lagOf } from "../worker/entry-status.ts";
import type { EntryWorker } from "../worker/entry-worker.ts";
import { json, problem, send } from "./answers.ts";
import { listenHttp, type RestServer } from "./listen.ts";
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

/** Listens; throws ReaderListenError when the port is taken. */
export function startRestServer(options: RestServerOptions): Promise<RestServer> {
  return listenHttp(options, (request, response) => handle(options, request, response), options.log);
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

/** When a refused push may be tried again, in seconds: the chain goes on soon, a queue or an outage takes longer. */
function retryAfterOf(answer: PushAnswer): number | undefined {
  if ("push" in answer) return undefined;
  if (answer.code === "above-head") return 2;
  return answer.status >= 500 ? 10 : undefined;
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
  const retryAfter = retryAfterOf(answer);
  if (retryAfter !== undefined) response.setHeader("retry-after", `${retryAfter}`);
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
    last_error_at: entry.lastErrorMs === undefined ? null : new Date(entry.lastErrorMs).toISOString(),
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
