/**
 * Owns one WebSocket connection: its calls in flight, its bounded queue of unsent bytes, the order of a reply before
 * the first notification of the subscription it created.
 */
import { isUtf8 } from "node:buffer";
import type { RawData, WebSocket } from "ws";
import { errorReply, PARSE_ERROR } from "./envelope.ts";
import type { HttpOptions } from "./http.ts";
import type { Limits } from "./limits.ts";
import { runMessage } from "./run-message.ts";
import type { RpcContext, SharedMessage, SubscriptionSink } from "./types.ts";
import { type Backlog, createOutlet, type Outlet } from "./ws-outlet.ts";

/** What a connection's calls know of their peer. */
export type Peer = Pick<RpcContext, "remoteAddress" | "authorization" | "query">;

/** A sink for one message: notifications wait until its reply is out, at most as many bytes as may be unread. */
function createSink(connection: symbol, outlet: Outlet, o: SinkOptions) {
  let held: (string | SharedMessage)[] | undefined = [];
  let heldBytes = 0;
  const sink: SubscriptionSink = {
    id: connection,
    notify(message) {
      if (held === undefined) return outlet.send(message);
      heldBytes += typeof message === "string" ? message.length : message.body.length;
      if (heldBytes > o.mostBytes) {
        outlet.cut("slow call: too many notifications wait for its reply");
        return false;
      }
      held.push(message);
      return !o.isClosed();
    },
    cut: (reason) => outlet.cut(reason),
    onClose(listener) {
      if (o.isClosed()) listener();
      else o.closers.add(listener);
      return () => o.closers.delete(listener);
    },
  };
  const release = (): void => {
    const waiting = held ?? [];
    held = undefined;
    for (const message of waiting) outlet.send(message);
  };
  return { sink, release };
}

interface SinkOptions {
  readonly closers: Set<() => void>;
  readonly isClosed: () => boolean;
  readonly mostBytes: number;
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
export function createConnection(socket: WebSocket, runner: HttpOptions, peer: Peer, backlog: Backlog): void {
  const connection = Symbol("connection");
  const outlet = createOutlet(socket, runner, backlog, peer.remoteAddress);
  const load = createLoad(socket, runner.limits);
  const closers = new Set<() => void>();
  const replies = runner.replies.open(() => outlet.cut("slow consumer: too many replies in progress"));
  let closed = false;

  const serve = async (text: string): Promise<void> => {
    const { sink, release } = createSink(connection, outlet, {
      closers,
      isClosed: () => closed,
      mostBytes: runner.limits.wsQueueBytes,
    });
    const controller = load.begin(text.length);
    const context: RpcContext = { ...peer, transport: "ws", subscriptions: sink, signal: controller.signal };
    let held = 0;
    const hold = (bytes: number): void => {
      held += bytes;
      replies.hold(bytes);
    };
    const isOver = (): boolean => closed || socket.readyState !== socket.OPEN;
    const reply = await runMessage(runner, text, { context, abort: () => controller.abort(), hold, isOver });
    if (reply !== undefined) outlet.send(reply);
    // From here on it is the outlet's to count.
    replies.release(held);
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
    replies.end();
    load.abort();
    for (const listener of [...closers]) listener();
    closers.clear();
  });
}
