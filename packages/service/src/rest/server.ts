/**
 * The REST server: the route table on Fastify with authentication, rate limit, body reading, request ids and problem
 * answers. Owns HTTP; what a route does is its handler's.
 */
import { randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import { type Log, StoreUnavailableError } from "@cairn/aggregator";
import {
  bodyLimits,
  type Environment,
  isServedIn,
  PROBLEM_CONTENT_TYPE,
  type RestOperation,
  type Route,
  restRoutes,
} from "@cairn/api";
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { type Caller, NOBODY } from "../accounts/caller.ts";
import type { Idempotency } from "../idempotency/idempotency.ts";
import type { Metrics } from "../metrics/metrics.ts";
import type { RequestLog } from "../sandbox/request-log.ts";
import type { AddressAct } from "./address-limit.ts";
import { conditional } from "./conditional.ts";
import type { RestHandlers } from "./context.ts";
import type { Gate } from "./gate.ts";
import { keyedRequest, serveOnce } from "./idempotent.ts";
import { checkEncoding, readJsonBodies } from "./json-body.ts";
import { requireKnownParameters } from "./known-parameters.ts";
import { createLargeBodies } from "./large-bodies.ts";
import { ProblemError, problemOf } from "./problem-error.ts";
import { createServedPaths } from "./served-paths.ts";
import type { StoreTrouble } from "./store-trouble.ts";

/** What the server is made of. */
export interface RestServerOptions {
  readonly handlers: RestHandlers;
  readonly gate: Gate;
  readonly idempotency: Idempotency;
  /** Remembers requests; only in a sandbox. */
  readonly requestLog: RequestLog | undefined;
  /** Named by every answer (`X-Cairn-Environment`). */
  readonly environment: Environment;
  /** Callers' addresses are what one proxy in front says. */
  readonly behindProxy: boolean;
  /** Serve each `/v1/…` path also without the segment. */
  readonly withAliases: boolean;
  readonly metrics: Metrics;
  readonly storeTrouble: StoreTrouble;
  readonly log: Log;
}

const LIMITED: ReadonlySet<string> = new Set<RestOperation>(["submitProof", "submitProofs", "verify"]);
/** Served without `/v1` in both environments. */
const UNVERSIONED: ReadonlySet<string> = new Set<RestOperation>(["status"]);
const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;
const ENVIRONMENT_HEADER = "x-cairn-environment";
const MAX_PARAM_CHARACTERS = 256;
/** A request has arrived whole by then; long polls answer later. */
const REQUEST_TIMEOUT_MS = 30_000;

/** Makes the server; the caller listens and closes. */
export function createRestServer(o: RestServerOptions): FastifyInstance {
  const app = Fastify({
    bodyLimit: bodyLimits.bodyBytes,
    // Of a proxy's list only what the proxy itself has seen is believed.
    trustProxy: o.behindProxy ? (_address: string, hop: number) => hop === 0 : false,
    routerOptions: { maxParamLength: MAX_PARAM_CHARACTERS },
    genReqId: (request) => requestId(request.headers["x-request-id"]),
    forceCloseConnections: true,
    return503OnClosing: false,
    requestTimeout: REQUEST_TIMEOUT_MS,
    clientErrorHandler: (_error, socket) => refuseConnection(socket, o.environment),
    frameworkErrors: (error, request, reply) => void answerError(o, error, request, reply),
  });
  readJsonBodies(app);
  const served = createServedPaths();
  app.addHook("onRequest", async (request, reply) => {
    reply.headers({ "x-request-id": request.id, [ENVIRONMENT_HEADER]: o.environment });
    // No body is read for a path or method that is not there.
    if (request.is404) throw notServed(served.methodsOf(request.url));
  });
  app.addHook("onResponse", async (request, reply) => {
    o.metrics.requestDone(reply.statusCode);
    o.requestLog?.answered(request, reply);
  });
  app.setErrorHandler<FastifyError>((error, request, reply) => answerError(o, error, request, reply));
  for (const [operation, route] of Object.entries<Route>(restRoutes)) {
    if (!isServedIn(route, o.environment)) continue;
    const paths = o.withAliases || UNVERSIONED.has(operation) ? [route.path, ...route.aliases] : [route.path];
    for (const path of paths) {
      addRoute(app, o, operation as RestOperation, route, path);
      served.add(route.method, path);
    }
  }
  return app;
}

/** A path that is there for other methods names them (RFC 9110, section 15.5.6). */
function notServed(methods: readonly string[]): ProblemError {
  if (methods.length === 0)
    return new ProblemError("not-found", { detail: "there is no such path; /docs describes those there are" });
  const allow = methods.join(", ");
  return new ProblemError("method-not-allowed", { detail: `this path takes ${allow}`, headers: { allow } });
}

/** Bytes that are no HTTP request, or not a whole one in time: a problem like any other, then the connection ends. */
function refuseConnection(socket: Socket, environment: string): void {
  if (!socket.writable) return void socket.destroy();
  const body = JSON.stringify({ ...problemOf(new ProblemError("invalid-request")), request_id: randomUUID() });
  const head = [
    "HTTP/1.1 400 Bad Request",
    `content-type: ${PROBLEM_CONTENT_TYPE}`,
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
    `${ENVIRONMENT_HEADER}: ${environment}`,
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}

function addRoute(app: FastifyInstance, o: RestServerOptions, operation: RestOperation, route: Route, path: string) {
  const callers = new WeakMap<FastifyRequest, Caller>();
  const handle = o.handlers[operation];
  const largeBodies = (route.bodyBytes ?? 0) > bodyLimits.bodyBytes ? createLargeBodies() : undefined;
  const door = { route, isLimited: LIMITED.has(operation), addressAct: addressActOf(operation, route) };
  app.route({
    method: route.method,
    url: path.replaceAll(/\{(\w+)\}/g, ":$1"),
    bodyLimit: route.bodyBytes ?? bodyLimits.bodyBytes,
    config: { takesBody: route.body !== undefined },
    onRequest: async (request, reply) => {
      // Receipts and registers are for everybody, also for pages of other origins; nothing else is.
      if (door.addressAct === "public-read") reply.header("access-control-allow-origin", "*");
      const caller = o.gate.enter(request, reply, door);
      callers.set(request, caller);
      if (route.access === "token") o.requestLog?.entered(request, caller);
      largeBodies?.enter(caller.account, reply);
    },
    preParsing: async (request, _reply, payload) => {
      if (route.method === "POST") checkEncoding(request);
      return payload;
    },
    handler: async (http, reply) => {
      requireKnownParameters(route, http.query);
      const params = http.params as Readonly<Record<string, string>>;
      const caller = callers.get(http) ?? NOBODY;
      const takeRate = (wanted: number): number => o.gate.takeMore(caller, wanted, reply);
      const lasting = o.gate.lasting(http, reply, { caller, scope: route.scope });
      const target = JSON.stringify([operation, params]);
      const keyed = route.method === "POST" ? keyedRequest(http, { account: caller.account, target }) : undefined;
      const serve = () => handle({ http, reply, caller, params, takeRate, ...lasting, requestName: keyed?.name });
      const answer = await (keyed === undefined ? serve() : serveOnce(o.idempotency, reply, keyed, serve));
      if (answer === reply || reply.sent) return reply;
      lasting.confirm();
      return conditional(route, http, reply, answer);
    },
  });
}

function addressActOf(operation: RestOperation, route: Route): AddressAct | undefined {
  if (route.access !== "public" || route.unlimited === true) return undefined;
  if (operation === "requestAccess") return "access-request";
  return operation === "getAccessRequest" ? "attempt" : "public-read";
}

function requestId(sent: string | string[] | undefined): string {
  return typeof sent === "string" && REQUEST_ID.test(sent) ? sent : randomUUID();
}

const FRAMEWORK_CODES: Readonly<Record<string, ProblemError>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: new ProblemError("body-too-large"),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: new ProblemError("unsupported-media-type"),
  FST_ERR_CTP_EMPTY_JSON_BODY: new ProblemError("malformed-json"),
};

const STORE_RETRY = { "retry-after": "5" };

function toProblem(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  if (error instanceof StoreUnavailableError) return new ProblemError("unavailable", { headers: STORE_RETRY });
  const { code, statusCode } = error as { readonly code?: unknown; readonly statusCode?: unknown };
  const known = typeof code === "string" ? FRAMEWORK_CODES[code] : undefined;
  if (known !== undefined) return known;
  const isRequestFault = typeof statusCode === "number" && statusCode >= 400 && statusCode < 500;
  return new ProblemError(isRequestFault ? "invalid-request" : "internal");
}

function answerError(o: RestServerOptions, error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const problem = toProblem(error);
  if (problem.code === "internal" || error instanceof StoreUnavailableError) {
    const cause = error instanceof Error ? error.message : String(error);
    const level = problem.code === "internal" ? "error" : o.storeTrouble.level();
    o.log[level]({ request_id: request.id, method: request.method, error: cause }, "a request failed");
  }
  const body = problemOf(problem);
  o.requestLog?.refused(request, body);
  return reply
    .code(body.status)
    .headers({ "x-request-id": request.id, [ENVIRONMENT_HEADER]: o.environment, "cache-control": "no-store" })
    .headers(problem.headers)
    .type(PROBLEM_CONTENT_TYPE)
    .send(JSON.stringify({ ...body, request_id: request.id }));
}
