/**
 * WebSocket connections on `/websocket`: JSON-RPC text frames, one request after the other, every route and the
 * subscriptions. Owns connections, their pings and their end.
 */
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type RawData, type WebSocket, WebSocketServer } from "ws";
import type { Log } from "../log.ts";
import { ArgumentError, type ArgumentValue, argumentsFromJson } from "./arguments.ts";
import { callRoute, notFound } from "./dispatch.ts";
import { EnvelopeError, parseFrame, type Reply, RPC_ERRORS, type RpcRequest, replyToText } from "./envelope.ts";
import { createFrameQueue, type FrameQueue } from "./frame-queue.ts";
import { ROUTES, type RouteContext } from "./routes.ts";
import { SUBSCRIBE_METHODS } from "./subscribe.ts";

const PING_MS = 27_000;
const SILENCE_MS = 30_000;
const GOING_AWAY = 1001;
/** How long a client may take to answer our close, in milliseconds. */
const CLOSE_PATIENCE_MS = 300;
const NO_ARGUMENTS = {
  id: "-1",
  error: { ...RPC_ERRORS.internal, data: "WSJSONRPC: reflect: Call with too few input arguments" },
};

/** Settings of {@link createWebSockets}. */
export interface WebSocketOptions {
  readonly maxFrameBytes: number;
  readonly log: Log;
  /** Milliseconds between pings and until a silent client is cut; CometBFT's by default. */
  readonly pingMs?: number;
  readonly silenceMs?: number;
}

/** The connections of one server. */
export interface WebSockets {
  accept(request: IncomingMessage, socket: Duplex, head: Buffer, context: RouteContext): void;
  close(): Promise<void>;
}

interface Handling {
  readonly context: RouteContext;
  readonly log: Log;
  readonly queue: FrameQueue;
}

function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString("utf8");
  return Buffer.isBuffer(data) ? data.toString("utf8") : Buffer.from(data).toString("utf8");
}

async function answerRequest(handling: Handling, request: RpcRequest, id: string): Promise<Reply> {
  const { method, params } = request;
  const route = Object.hasOwn(ROUTES, method) ? ROUTES[method] : undefined;
  const own = Object.hasOwn(SUBSCRIBE_METHODS, method) ? SUBSCRIBE_METHODS[method] : undefined;
  const specs = route?.args ?? own?.args;
  if (specs === undefined) return notFound(id, method);
  if (params === undefined && specs.length > 0) return NO_ARGUMENTS;
  let args: readonly ArgumentValue[];
  try {
    args = params === undefined ? [] : argumentsFromJson(specs, params);
  } catch (error) {
    if (!(error instanceof ArgumentError)) throw error;
    const data = `error converting json params to arguments: ${error.message}`;
    return { id, error: { ...RPC_ERRORS.internal, data } };
  }
  const { context, log, queue } = handling;
  if (route !== undefined) return callRoute(() => route.call(context, args), log, id);
  const { events } = context.engine.reads;
  const [query] = args;
  return callRoute(
    () => {
      const text = typeof query === "string" ? query : "";
      own?.call({ events, client: context.client, push: queue.push }, id, text);
      return "{}";
    },
    log,
    id,
  );
}

/** The reply to one frame; undefined for a notification. */
async function answerFrame(handling: Handling, text: string): Promise<Reply | undefined> {
  let request: RpcRequest;
  try {
    request = parseFrame(text);
  } catch (error) {
    if (!(error instanceof EnvelopeError)) throw error;
    return { error: { ...RPC_ERRORS.parse, data: `error unmarshaling request: ${error.message}` } };
  }
  return request.id === undefined ? undefined : answerRequest(handling, request, request.id);
}

/** Answers frames one after the other; while one is worked on, the socket is not read. */
function serveFrames(socket: WebSocket, handling: Handling): void {
  const inbox: string[] = [];
  let isBusy = false;
  const work = async (): Promise<void> => {
    for (let text = inbox.shift(); text !== undefined; text = inbox.shift()) {
      const reply = await answerFrame(handling, text);
      if (reply === undefined || socket.readyState !== socket.OPEN) continue;
      await new Promise<void>((resolve) => {
        socket.once("close", resolve);
        handling.queue.push(
          () => replyToText(reply),
          () => {
            socket.off("close", resolve);
            resolve();
          },
        );
      });
    }
  };
  const start = (): void => {
    isBusy = true;
    socket.pause();
    work()
      .catch((error: unknown) => {
        handling.log.warn({ error: error instanceof Error ? error.message : "unknown" }, "a WebSocket frame broke off");
        socket.terminate();
      })
      .finally(() => {
        isBusy = false;
        if (socket.readyState !== socket.OPEN) return;
        if (inbox.length > 0) start();
        else socket.resume();
      });
  };
  socket.on("message", (data) => {
    inbox.push(textOf(data));
    if (!isBusy) start();
  });
}

/** Pings, and cuts a client that has not been heard of for too long. */
function keepAlive(socket: WebSocket, pingMs: number, silenceMs: number): void {
  const silent = setTimeout(() => {
    if (!socket.isPaused) return socket.terminate();
    heard();
  }, silenceMs);
  const heard = (): void => {
    silent.refresh();
  };
  const ping = setInterval(() => socket.ping(), pingMs);
  for (const event of ["message", "ping", "pong"]) socket.on(event, heard);
  socket.once("close", () => {
    clearTimeout(silent);
    clearInterval(ping);
  });
}

/** No connections yet. */
export function createWebSockets({
  maxFrameBytes,
  log,
  pingMs = PING_MS,
  silenceMs = SILENCE_MS,
}: WebSocketOptions): WebSockets {
  const server = new WebSocketServer({ noServer: true, maxPayload: maxFrameBytes, perMessageDeflate: false });
  return {
    accept: (request, socket, head, context) => {
      server.handleUpgrade(request, socket, head, (connection) => {
        connection.on("error", (error) => log.debug({ error: error.message }, "a WebSocket connection failed"));
        connection.once("close", () => context.engine.reads.events.unsubscribeAll(context.client));
        serveFrames(connection, { context, log, queue: createFrameQueue(connection) });
        keepAlive(connection, pingMs, silenceMs);
      });
    },
    close: async () => {
      const ended = [...server.clients].map((connection) => {
        connection.close(GOING_AWAY);
        const timer = setTimeout(() => connection.terminate(), CLOSE_PATIENCE_MS);
        return once(connection, "close").finally(() => clearTimeout(timer));
      });
      server.close();
      await Promise.all(ended);
    },
  };
}
