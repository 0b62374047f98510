/**
 * Owns the sending side of WebSocket connections: what peers have not read is bounded per connection and over all of
 * them; a connection beyond is cut with its reason, the others are untouched.
 */
import type { WebSocket } from "ws";
import type { Runner } from "./run-message.ts";
import type { SharedMessage } from "./types.ts";

/** Close code of a consumer that does not read what it asked for (1013: try again later). */
export const SLOW_CONSUMER = 1013;

/** Time between the close frame to a cut connection and its end. */
const CUT_GRACE_MS = 5_000;

/** While all queues together are full, a connection with more than this is cut. */
const FAIR_SHARE_BYTES = 64 * 1024;

/** Unread bytes of all connections of a listener. */
export interface Backlog {
  bytes: number;
}

/** Sends whole messages over one connection. */
export interface Outlet {
  /** `false` when the connection is closed or has just been cut. */
  send(message: string | SharedMessage): boolean;
  /** Closes the connection with 1013. */
  cut(reason: string): void;
}

/** The outlet of a connection. */
export function createOutlet(socket: WebSocket, runner: Runner, backlog: Backlog, remoteAddress: string): Outlet {
  const { wsQueueBytes, wsQueuesBytes } = runner.limits;
  let counted = 0;
  const count = (): void => {
    const now = socket.readyState === socket.CLOSED ? 0 : socket.bufferedAmount;
    backlog.bytes += now - counted;
    counted = now;
  };
  const isSlow = (): boolean => counted > wsQueueBytes || (backlog.bytes > wsQueuesBytes && counted > FAIR_SHARE_BYTES);
  const cut = (reason: string): void => {
    if (socket.readyState !== socket.OPEN) return;
    runner.log.warn({ remoteAddress, queuedBytes: socket.bufferedAmount }, "WebSocket connection cut");
    socket.close(SLOW_CONSUMER, reason);
    const timer = setTimeout(() => socket.terminate(), CUT_GRACE_MS);
    socket.once("close", () => clearTimeout(timer));
  };
  socket.once("close", count);
  return {
    send(message) {
      if (socket.readyState !== socket.OPEN) return false;
      count();
      if (isSlow()) {
        cut("slow consumer: too many unread bytes");
        return false;
      }
      // A failed write is followed by "close"; there is nothing else to tell.
      if (typeof message === "string") socket.send(message, count);
      else sendShared(socket, message, count);
      count();
      return true;
    },
    cut,
  };
}

/** One message in three fragments: the shared middle goes to the system as it is. */
function sendShared(socket: WebSocket, { head, body, tail }: SharedMessage, sent: () => void): void {
  const ignore = (): void => undefined;
  socket.send(head, { fin: false }, ignore);
  socket.send(body, { fin: false, binary: false }, ignore);
  socket.send(tail, { fin: true }, sent);
}
