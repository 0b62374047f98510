/** From a request to its reply: method lookup, argument conversion, call, and what may be cached. */
import type { Log } from "../log.ts";
import { ArgumentError, type ArgumentValue, argumentsFromJson, argumentsFromUri } from "./arguments.ts";
import { EnvelopeError, parseRequests, type Reply, RPC_ERRORS, type RpcRequest, replyToText } from "./envelope.ts";
import { RouteFailure } from "./results.ts";
import { isCacheable, NOT_SERVED, ROUTES, type RouteContext, WEBSOCKET_ONLY } from "./routes.ts";

/** A finished HTTP answer; an undefined body is an empty one without a content type. */
export interface Answer {
  readonly status: number;
  readonly body?: string;
  readonly cacheable: boolean;
  /** Body-limit and batch-limit replies come before the clock in CometBFT. */
  readonly withoutTime?: boolean;
}

const MAX_BATCH = 10;
const URI_ID = "-1";

interface Called {
  readonly reply: Reply;
  readonly cacheable: boolean;
}

/** The reply for a method that is none here, with the reason where there is one. */
export function notFound(id: string, method: string): Reply {
  const reason = NOT_SERVED.has(method) ? { data: `${method} is not served by the embedded engine yet` } : {};
  return { id, error: { ...RPC_ERRORS.methodNotFound, ...reason } };
}

/** Calls a route; failures become errors of the reply. */
export async function callRoute(call: () => string | Promise<string>, log: Log, id: string): Promise<Reply> {
  try {
    return { id, result: await call() };
  } catch (error) {
    if (error instanceof RouteFailure) return { id, error: { ...RPC_ERRORS.internal, data: error.message } };
    log.error({ error: error instanceof Error ? error.message : "unknown" }, "a consensus RPC call failed");
    return { id, error: { ...RPC_ERRORS.internal, data: "the block store could not be read" } };
  }
}

function badArguments(id: string, error: unknown, from: "json" | "http"): Reply {
  if (!(error instanceof ArgumentError)) throw error;
  const data = `error converting ${from} params to arguments: ${error.message}`;
  return { id, error: { ...RPC_ERRORS.invalidParams, data } };
}

/** CometBFT's recovered panic: a route with arguments called without `params`. It ends the whole batch. */
const TOO_FEW = { id: URI_ID, error: { ...RPC_ERRORS.internal, data: "reflect: Call with too few input arguments" } };

async function handle(
  context: RouteContext,
  log: Log,
  request: RpcRequest & { readonly id: string },
): Promise<Called | "panic"> {
  const { id, method, params } = request;
  const route = Object.hasOwn(ROUTES, method) ? ROUTES[method] : undefined;
  if (route === undefined) return { reply: notFound(id, method), cacheable: false };
  if (params === undefined && route.args.length > 0) return "panic";
  let args: readonly ArgumentValue[];
  try {
    args = params === undefined ? [] : argumentsFromJson(route.args, params);
  } catch (error) {
    return { reply: badArguments(id, error, "json"), cacheable: false };
  }
  const reply = await callRoute(() => route.call(context, args), log, id);
  return { reply, cacheable: isCacheable(route, args) };
}

/** Answers a POST to `/`. */
export async function answerPost(context: RouteContext, log: Log, body: string): Promise<Answer> {
  let requests: readonly RpcRequest[];
  try {
    requests = parseRequests(body);
  } catch (error) {
    if (!(error instanceof EnvelopeError)) throw error;
    const reply = { error: { ...RPC_ERRORS.parse, data: `error unmarshaling request: ${error.message}` } };
    return { status: 500, body: replyToText(reply), cacheable: false };
  }
  if (requests.length > MAX_BATCH) {
    const data = `batch request exceeds maximum (${MAX_BATCH}) allowed number of requests`;
    const text = replyToText({ error: { ...RPC_ERRORS.invalidRequest, data } });
    return { status: 200, body: text, cacheable: false, withoutTime: true };
  }
  const called: Called[] = [];
  for (const { id, ...request } of requests) {
    if (id === undefined) continue;
    const outcome = await handle(context, log, { id, ...request });
    if (outcome === "panic") return { status: 500, body: replyToText(TOO_FEW), cacheable: false };
    called.push(outcome);
  }
  const texts = called.map(({ reply }) => replyToText(reply));
  if (texts.length === 0) return { status: 200, cacheable: false };
  const text = texts.length === 1 ? (texts[0] ?? "") : `[${texts.join(",")}]`;
  return { status: 200, body: text, cacheable: called.every(({ cacheable }) => cacheable) };
}

/** Answers a call of `/<route>`; undefined when there is no such route. */
export async function answerUri(
  context: RouteContext,
  log: Log,
  method: string,
  query: URLSearchParams,
): Promise<Answer | undefined> {
  if (NOT_SERVED.has(method) || WEBSOCKET_ONLY.has(method)) {
    return { status: 404, body: replyToText(notFound(URI_ID, method)), cacheable: false };
  }
  const route = Object.hasOwn(ROUTES, method) ? ROUTES[method] : undefined;
  if (route === undefined) return undefined;
  let args: readonly ArgumentValue[];
  try {
    args = argumentsFromUri(route.args, query);
  } catch (error) {
    return { status: 500, body: replyToText(badArguments(URI_ID, error, "http")), cacheable: false };
  }
  const reply = await callRoute(() => route.call(context, args), log, URI_ID);
  const isOk = "result" in reply;
  return { status: isOk ? 200 : 500, body: replyToText(reply), cacheable: isOk && isCacheable(route, args) };
}
