/**
 * Owns one WebSocket connection: its calls in flight, its bounded queue of unsent bytes, the order of a reply before
 * the first notification of the subscription it created.
 */
import { isUtf8 } from "node:buffer";
import type { RawData, WebSocket } from "ws";
import { errorReply, PARSE_ERROR } from "./envelope.ts";
import type { Limits } from "./limits.ts";
import { type Runner, runMessage } from "./run-message.ts";
import type { RpcContext, SubscriptionSink } from "./types.ts";

/** What a connection's calls know of their peer. */
export type Peer = Pick<RpcContext, "remoteAddress" | "authorization" | "query">;

/** Close code of a consumer that does not read what it asked for (1013: try again later). */
export const SLOW_CONSUMER = 1013;

/** Time between the close frame to a slow consumer and cutting it. */
const SLOW_CONSUMER_GRACE_MS = 5_000;

interface Outlet {
  /** `false` when the connection is closed or has just been cut. */
  send(text: string): boolean;
}

function createOutlet(socket: WebSocket, runner: Runner, peer: Peer): Outlet {
  const cut = (): void => {
    runner.log.warn({ remoteAddress: peer.remoteAddress, queuedBytes: socket.bufferedAmount }, "slow consumer cut");
    socket.close(SLOW_CONSUMER, "slow consumer: too many unread bytes");
    const timer = setTimeout(() => socket.terminate(), SLOW_CONSUMER_GRACE_MS);
    socket.once("close", () => clearTimeout(timer));
  };
  return {
    send(text) {
      if (socket.readyState !== socket.OPEN) return false;
      if (socket.bufferedAmount > runner.limits.wsQueueBytes) {
        cut();
        return false;
      }
      // A failed write is followed by "close"; there is nothing else to tell.
      socket.send(text, () => undefined);
      return true;
    },
  };
}

/** A sink for one message: notifications wait until its reply is out. */
function createSink(connection: symbol, outlet: Outlet, closers: Set<() => void>, isClosed: () => boolean) {
  let held: string[] | undefined = [];
  const sink: SubscriptionSink = {
    id: connection,
    notify(json) {
      if (held === undefined) return outlet.send(json);
      held.push(json);
      return !isClosed();
    },
    onClose(listener) {
      if (isClosed()) listener();
      else closers.add(listener);
      return () => closers.delete(listener);
    },
  };
  const release = (): void => {
    const waiting = held ?? [];
    held = undefined;
    for (const json of waiting) outlet.send(json);
  };
  return { sink, release };
}

function textOf(data: RawData): string | undefined {
  const bytes = Array.isArray(data) ? Buffer.concat(data) : Buffer.isBuffer(data) ? data : Buffer.from(data);
  return isUtf8(bytes) ? bytes.toString("utf8") : undefined;
}

/** The messages of one connection being answered; reading pauses while there are too many or too large ones. */
function createLoad(socket: WebSocket, limits: Limits) {
  const running = new Set<AbortController>();
  let bytes = 0;
  const isFull = (): boolean => running.size >= limits.wsCallsInFlight || bytes >= limits.wsBytesInFlight;
  return {
    begin(length: number): AbortController {
      const controller = new AbortController();
      running.add(controller);
      bytes += length;
      if (isFull()) socket.pause();
      return controller;
    },
    end(controller: AbortController, length: number): void {
      running.delete(controller);
      bytes -= length;
      if (socket.isPaused && !isFull()) socket.resume();
    },
    abort(): void {
      for (const controller of running) controller.abort();
    },
  };
}

/** Serves a connection until it closes. */
export function createConnection(socket: WebSocket, runner: Runner, peer: Peer): void {
  const connection = Symbol("connection");
  const outlet = createOutlet(socket, runner, peer);
  const load = createLoad(socket, runner.limits);
  const closers = new Set<() => void>();
  let closed = false;

  const serve = async (text: string): Promise<void> => {
    const { sink, release } = createSink(connection, outlet, closers, () => closed);
    const controller = load.begin(text.length);
    const context: RpcContext = { ...peer, transport: "ws", subscriptions: sink, signal: controller.signal };
    const reply = await runMessage(runner, text, { context, abort: () => controller.abort() });
    if (reply !== undefined) outlet.send(reply);
    release();
    load.end(controller, text.length);
  };

  socket.on("message", (data) => {
    const text = textOf(data);
    if (text === undefined) outlet.send(errorReply("null", PARSE_ERROR));
    else void serve(text);
  });
  // "close" follows; ws itself answers protocol errors with the fitting close code.
  socket.on("error", () => undefined);
  socket.once("close", () => {
    closed = true;
    load.abort();
    for (const listener of [...closers]) listener();
    closers.clear();
  });
}
