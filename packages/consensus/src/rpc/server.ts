/**
 * The consensus RPC as CometBFT's: `POST /` for JSON-RPC, any method on `/<route>` for URI calls, an index page on
 * `GET /`, and WebSocket connections on `/websocket` (see websocket.ts). Its own small server, because envelope, headers and errors differ from Ethereum's JSON-RPC.
 */

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { EmbeddedEngine } from "../engine.ts";
import type { Log } from "../log.ts";
import { type Answer, answerPost, answerUri } from "./dispatch.ts";
import { RPC_ERRORS, replyToText } from "./envelope.ts";
import { indexPage } from "./index-page.ts";
import { ROUTES, type RouteContext } from "./routes.ts";
import { createWebSockets } from "./websocket.ts";

const MAX_BODY_BYTES = 1_000_000;
const MAX_HEADER_BYTES = 1 << 20;
const MAX_CONNECTIONS = 900;
const TIMEOUT_MS = 10_000;
const CACHE = "public, max-age=86400";
const FORM = "application/x-www-form-urlencoded";

/** Settings of {@link createConsensusRpc}. Port 0 takes a free one. */
export interface ConsensusRpcOptions {
  readonly engine: Pick<EmbeddedEngine, "reads" | "latestHeight">;
  readonly host: string;
  readonly port: number;
  readonly log: Log;
}

/** A listening RPC. */
export interface ConsensusRpc {
  /** `http://host:port`. */
  readonly url: string;
  close(): Promise<void>;
}

/** The body as text, or undefined when it is over the limit; what follows then is thrown away. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<string | undefined>();
  const chunks: Buffer[] = [];
  let size = 0;
  request.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size <= MAX_BODY_BYTES) chunks.push(chunk);
    else resolve(undefined);
  });
  request.once("end", () => resolve(Buffer.concat(chunks).toString("utf8")));
  request.once("error", reject);
  request.once("close", () => reject(new Error("the client went away")));
  return promise;
}

function stamp(response: ServerResponse): void {
  response.setHeader("X-Server-Time", String(Math.floor(Date.now() / 1000)));
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.statusCode = status;
  response.setHeader("Content-Type", type);
  response.end(body);
}

function sendAnswer(response: ServerResponse, answer: Answer): void {
  if (answer.withoutTime === true) response.removeHeader("X-Server-Time");
  if (answer.cacheable) response.setHeader("Cache-Control", CACHE);
  response.statusCode = answer.status;
  if (answer.body === undefined) response.end();
  else send(response, answer.status, "application/json", answer.body);
}

/** Query arguments; like Go's parser, a pair with a semicolon is dropped. A form's come first. */
function queryOf(search: string, form: string): URLSearchParams {
  const pairs = [...form.split("&"), ...search.replace(/^\?/, "").split("&")].filter((pair) => !pair.includes(";"));
  return new URLSearchParams(pairs.join("&"));
}

interface Handling {
  readonly context: Omit<RouteContext, "client">;
  readonly log: Log;
}

function clientOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress}:${remotePort}`;
}

async function respond(
  { context: shared, log }: Handling,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [path = "/", ...rest] = (request.url ?? "/").split("?");
  const body = await readBody(request);
  if (body === undefined) {
    const data = "error reading request body: http: request body too large";
    response.setHeader("Connection", "close");
    return send(response, 400, "application/json", replyToText({ error: { ...RPC_ERRORS.invalidRequest, data } }));
  }
  const context = { ...shared, client: clientOf(request.socket) };
  stamp(response);
  const clean = path.replace(/\/{2,}/g, "/");
  if (clean !== path) {
    response.setHeader("Location", clean);
    return send(response, 307, "text/html; charset=utf-8", `<a href="${clean}">Temporary Redirect</a>.\n\n`);
  }
  if (path === "/" && request.method === "POST" && body !== "")
    return sendAnswer(response, await answerPost(context, log, body));
  if (path === "/") return send(response, 200, "text/html", indexPage(request.headers.host ?? "", ROUTES));
  if (path === "/websocket") return send(response, 400, "text/plain; charset=utf-8", "Bad Request\n");
  const isForm = request.headers["content-type"]?.startsWith(FORM) === true;
  const answer = await answerUri(context, log, path.slice(1), queryOf(rest.join("?"), isForm ? body : ""));
  if (answer === undefined) return send(response, 404, "text/plain; charset=utf-8", "404 page not found\n");
  sendAnswer(response, answer);
}

/** Starts the RPC of an engine; resolves when it listens. */
export async function createConsensusRpc(o: ConsensusRpcOptions): Promise<ConsensusRpc> {
  const context = { engine: o.engine, rpcAddress: "" };
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES, requestTimeout: TIMEOUT_MS }, (request, response) => {
    respond({ context, log: o.log }, request, response).catch((error: unknown) => {
      o.log.warn({ error: error instanceof Error ? error.message : "unknown" }, "a consensus RPC request broke off");
      response.destroy();
    });
  });
  const webSockets = createWebSockets({ maxFrameBytes: MAX_BODY_BYTES, log: o.log });
  server.on("upgrade", (request, socket, head) => {
    const path = (request.url ?? "/").split("?")[0];
    if (path !== "/websocket") socket.destroy();
    else webSockets.accept(request, socket, head, { ...context, client: clientOf(request.socket) });
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.listen(o.port, o.host);
  await once(server, "listening");
  const host = o.host.includes(":") ? `[${o.host}]` : o.host;
  const { port } = addressOf(server.address());
  context.rpcAddress = `tcp://${host}:${port}`;
  return {
    url: `http://${host}:${port}`,
    close: async () => {
      const closed = once(server, "close");
      o.engine.reads.events.close();
      await webSockets.close();
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function addressOf(address: string | AddressInfo | null): { readonly port: number } {
  return typeof address === "object" && address !== null ? address : { port: 0 };
}
