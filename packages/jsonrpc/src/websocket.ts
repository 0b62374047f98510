/**
 * Owns JSON-RPC over WebSocket: the upgrade's checks, one connection's calls and notifications, back-pressure in both
 * directions, pings. What a subscription is, is the business of whoever answers the calls.
 */
import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { type HttpOptions, queryOf, refusalOf } from "./http.ts";
import { createConnection } from "./ws-connection.ts";
import { watchUnfinished } from "./ws-unfinished.ts";

const STATUS_TEXT: Readonly<Record<number, string>> = { 401: "Unauthorized", 403: "Forbidden", 404: "Not Found" };

/** How long a closing handshake may take before the connection is cut. */
const CLOSE_HANDSHAKE_MS = 250;

function refuseUpgrade(socket: Duplex, status: number, text: string): void {
  const body = `${text}\n`;
  const head = `HTTP/1.1 ${status} ${STATUS_TEXT[status] ?? "Error"}\r\nConnection: close\r\n`;
  socket.end(`${head}Content-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

/** Pings all connections; one that did not answer the previous ping is cut. */
function startPings(sockets: Set<WebSocket>, intervalMs: number): () => void {
  const alive = new WeakSet<WebSocket>();
  const pinged = new WeakSet<WebSocket>();
  const timer = setInterval(() => {
    for (const socket of sockets) {
      if (pinged.has(socket) && !alive.has(socket)) {
        socket.terminate();
        continue;
      }
      alive.delete(socket);
      pinged.add(socket);
      socket.once("pong", () => alive.add(socket));
      socket.ping();
    }
  }, intervalMs);
  return () => clearInterval(timer);
}

async function closeSockets(sockets: Set<WebSocket>): Promise<void> {
  const all = [...sockets].map(
    (socket) =>
      new Promise<void>((resolve) => {
        const cut = setTimeout(() => socket.terminate(), CLOSE_HANDSHAKE_MS);
        socket.once("close", () => {
          clearTimeout(cut);
          resolve();
        });
        socket.close(1001, "server is stopping");
      }),
  );
  await Promise.all(all);
}

/** Serves WebSocket upgrades of `server` at `/`. The returned function ends all connections. */
export function attachWebSocket(server: Server, options: HttpOptions): () => Promise<void> {
  const upgrader = new WebSocketServer({
    noServer: true,
    maxPayload: options.limits.bodyBytes,
    perMessageDeflate: false,
    clientTracking: false,
  });
  const sockets = new Set<WebSocket>();
  const backlog = { bytes: 0 };
  const unfinished = watchUnfinished(options.limits);
  const stopPings = startPings(sockets, options.limits.wsPingIntervalMs);
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on("error", () => socket.destroy());
    const refusal = refusalOf(request.headers, options);
    if (refusal !== undefined) return refuseUpgrade(socket, ...refusal);
    if (request.url?.split("?", 1)[0] !== "/") return refuseUpgrade(socket, 404, "not found");
    upgrader.handleUpgrade(request, socket, head, (webSocket) => {
      sockets.add(webSocket);
      unfinished.add(webSocket, request.socket);
      webSocket.once("close", () => sockets.delete(webSocket));
      const { authorization } = request.headers;
      const query = queryOf(request.url);
      const peer = {
        remoteAddress: request.socket.remoteAddress ?? "",
        ...(authorization === undefined ? {} : { authorization }),
        ...(query === undefined ? {} : { query }),
      };
      createConnection(webSocket, options, peer, backlog);
    });
  });
  return async () => {
    stopPings();
    unfinished.close();
    await closeSockets(sockets);
    upgrader.close();
  };
}
