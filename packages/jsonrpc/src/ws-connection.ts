/**
 * Owns one WebSocket connection: its calls in flight, its bounded queue of unsent bytes, the order of a reply before
 * the first notification of the subscription it created.
 */
import { isUtf8 } from "node:buffer";
import type { RawData, WebSocket } from "ws";
import { errorReply, PARSE_ERROR } from "./envelope.ts";
import { type CallScope, type Runner, runMessage } from "./run-message.ts";
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

/** Serves a connection until it closes. */
export function createConnection(socket: WebSocket, runner: Runner, peer: Peer): void {
  const connection = Symbol("connection");
  const outlet = createOutlet(socket, runner, peer);
  const closers = new Set<() => void>();
  const running = new Set<AbortController>();
  let closed = false;
  let inFlightBytes = 0;
  const isBusy = (): boolean =>
    running.size >= runner.limits.wsCallsInFlight || inFlightBytes >= runner.limits.wsBytesInFlight;

  const serve = async (text: string): Promise<void> => {
    const { sink, release } = createSink(connection, outlet, closers, () => closed);
    const controller = new AbortController();
    const context: RpcContext = { ...peer, transport: "ws", subscriptions: sink, signal: controller.signal };
    const scope: CallScope = { context, abort: () => controller.abort() };
    running.add(controller);
    inFlightBytes += text.length;
    if (isBusy()) socket.pause();
    const reply = await runMessage(runner, text, scope);
    running.delete(controller);
    inFlightBytes -= text.length;
    if (reply !== undefined) outlet.send(reply);
    release();
    if (socket.isPaused && !isBusy()) socket.resume();
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
    for (const controller of running) controller.abort();
    for (const listener of [...closers]) listener();
    closers.clear();
  });
}
