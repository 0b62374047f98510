/** Owns putting the transports together: one HTTP listener, one WebSocket listener, or both on one address. */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AdmissionRules } from "./admission.ts";
import { createHttpListener, type HttpOptions } from "./http.ts";
import { DEFAULT_LIMITS, type Limits } from "./limits.ts";
import { boundAddress, closeServer, formatAddress, type ListenAddress, listen } from "./listen.ts";
import { createReplyBudget } from "./reply-budget.ts";
import type { Dispatch, Log } from "./types.ts";
import { attachWebSocket } from "./websocket.ts";

/** What a server is made of. */
export interface JsonRpcServerOptions {
  readonly http?: ListenAddress;
  /** The same address and port as `http` serves both on one listener. */
  readonly ws?: ListenAddress;
  readonly dispatch: Dispatch;
  readonly limits?: Partial<Limits>;
  /** Host names of web pages let in, or `*`. Default: this machine's. */
  readonly origins?: readonly string[];
  /** Names this server is reached by, besides IP addresses; or `*`. Default: localhost. */
  readonly vhosts?: readonly string[];
  /** Whether an `Authorization` header is acceptable: a wrong one answers 401 instead of being passed on. */
  readonly authenticate?: (header: string) => boolean;
  readonly log: Log;
}

/** A running server. */
export interface JsonRpcServer {
  /** `http://host:port`, with the port really taken. */
  readonly httpUrl?: string;
  readonly wsUrl?: string;
  /** Ends connections and frees the ports, within about a second. */
  close(): Promise<void>;
}

function urlOf(scheme: string, server: Server): string {
  return `${scheme}://${formatAddress(boundAddress(server))}`;
}

function upgradeOnly(_request: IncomingMessage, response: ServerResponse): void {
  const headers = { upgrade: "websocket", connection: "close", "content-type": "text/plain" };
  response.writeHead(426, headers).end("this address speaks WebSocket\n");
}

/** Starts a JSON-RPC server. Rejects with `ListenError` when an address cannot be taken. */
export async function createJsonRpcServer(options: JsonRpcServerOptions): Promise<JsonRpcServer> {
  const limits: Limits = { ...DEFAULT_LIMITS, ...options.limits };
  const rules: AdmissionRules = {
    origins: options.origins ?? ["127.0.0.1", "localhost"],
    vhosts: options.vhosts ?? ["localhost"],
  };
  const { dispatch, log, authenticate, http, ws } = options;
  const shared: HttpOptions = {
    ...{ dispatch, log, limits, rules },
    replies: createReplyBudget(limits.repliesBytes),
    ...(authenticate === undefined ? {} : { authenticate }),
  };
  const httpServer = http === undefined ? undefined : await listen(http, limits, createHttpListener(shared));
  const together =
    http !== undefined && ws !== undefined && http.host === ws.host && http.port === ws.port && http.port !== 0;
  let wsServer: Server | undefined = together ? httpServer : undefined;
  if (ws !== undefined && wsServer === undefined) {
    try {
      wsServer = await listen(ws, limits, upgradeOnly);
    } catch (error) {
      if (httpServer !== undefined) await closeServer(httpServer, 0);
      throw error;
    }
  }
  const endSockets = wsServer === undefined ? undefined : attachWebSocket(wsServer, shared);
  return {
    ...(httpServer === undefined ? {} : { httpUrl: urlOf("http", httpServer) }),
    ...(wsServer === undefined ? {} : { wsUrl: urlOf("ws", wsServer) }),
    async close() {
      const servers = new Set([httpServer, wsServer].filter((server) => server !== undefined));
      await Promise.all([endSockets?.(), ...[...servers].map((server) => closeServer(server, limits.closeGraceMs))]);
    },
  };
}
