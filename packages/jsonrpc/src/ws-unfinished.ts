/**
 * Owns the bound on WebSocket messages that are begun and not ended: like a request over HTTP, one must arrive within
 * the read timeout, and all of them together hold a bounded number of bytes.
 */
import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import type { Limits } from "./limits.ts";

/** Bytes of a masked control frame besides its payload. */
const CONTROL_HEAD_BYTES = 6;
const CHECK_INTERVAL_MS = 1_000;

interface Watched {
  readonly socket: WebSocket;
  readonly stream: Socket;
  /** Bytes the stream had read when nothing was unfinished. */
  settledBytes: number;
  /** When something was found unfinished first. */
  sinceMs?: number;
}

/** Watches the connections of a listener. */
export interface UnfinishedWatch {
  add(socket: WebSocket, stream: Socket): void;
  close(): void;
}

/** Starts watching. A connection that breaks the bounds is closed with 1008. */
export function watchUnfinished(
  limits: Pick<Limits, "readTimeoutMs" | "bodiesBytes">,
  checkIntervalMs = CHECK_INTERVAL_MS,
): UnfinishedWatch {
  const all = new Set<Watched>();
  const timer = setInterval(() => check(all, limits, performance.now()), checkIntervalMs);
  timer.unref();
  return {
    add(socket, stream) {
      const watched: Watched = { socket, stream, settledBytes: stream.bytesRead };
      all.add(watched);
      socket.on("message", () => settle(watched));
      for (const event of ["ping", "pong"] as const) {
        socket.on(event, (data: Buffer) => {
          watched.settledBytes += CONTROL_HEAD_BYTES + data.length;
        });
      }
      socket.once("close", () => all.delete(watched));
    },
    close: () => clearInterval(timer),
  };
}

function settle(watched: Watched): void {
  watched.settledBytes = watched.stream.bytesRead;
  delete watched.sinceMs;
}

function check(all: Iterable<Watched>, limits: Pick<Limits, "readTimeoutMs" | "bodiesBytes">, nowMs: number): void {
  let held = 0;
  for (const watched of all) {
    const bytes = watched.stream.bytesRead - watched.settledBytes;
    if (bytes <= 0 || watched.socket.isPaused) {
      delete watched.sinceMs;
      continue;
    }
    watched.sinceMs ??= nowMs;
    held += bytes;
    if (nowMs - watched.sinceMs > limits.readTimeoutMs) end(watched, "a message took too long to arrive");
    else if (held > limits.bodiesBytes) end(watched, "too many messages in progress");
  }
}

/** The close handshake needs a peer that ends its message first: what does not is cut. */
function end({ socket }: Watched, reason: string): void {
  socket.close(1008, reason);
  const cut = setTimeout(() => socket.terminate(), CHECK_INTERVAL_MS);
  socket.once("close", () => clearTimeout(cut));
}
