/** Owns opening and closing a listening socket: typed failures, the bound address, prompt release. */
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Limits } from "./limits.ts";

/** Where to listen; port 0 takes a free one. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** Why an address cannot be listened on. */
export type ListenErrorCode = "address-in-use" | "address-not-available" | "access-denied" | "listen-failed";

const CODES: Readonly<Record<string, ListenErrorCode>> = {
  EADDRINUSE: "address-in-use",
  EADDRNOTAVAIL: "address-not-available",
  ENOTFOUND: "address-not-available",
  EACCES: "access-denied",
};

const REASONS: Readonly<Record<ListenErrorCode, string>> = {
  "address-in-use": "the port is already in use",
  "address-not-available": "this machine has no such address",
  "access-denied": "not permitted",
  "listen-failed": "the system refused",
};

/** An address that cannot be listened on. The message names it. */
export class ListenError extends Error {
  override readonly name = "ListenError";
  readonly code: ListenErrorCode;
  /** `host:port`. */
  readonly address: string;

  constructor(code: ListenErrorCode, address: string) {
    super(`cannot listen on ${address}: ${REASONS[code]}`);
    this.code = code;
    this.address = address;
  }
}

function systemCode(error: Error): string {
  return "code" in error && typeof error.code === "string" ? error.code : "";
}

/** `host:port` as it stands in a URL. */
export function formatAddress({ host, port }: ListenAddress): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

/** How often connections are looked at for those timeouts. */
const CHECK_INTERVAL_MS = 1_000;

/** Opens an HTTP server. Rejects with `ListenError`. */
export async function listen(address: ListenAddress, limits: Limits, onRequest: RequestListener): Promise<Server> {
  const server = createServer(
    {
      requestTimeout: limits.readTimeoutMs,
      headersTimeout: limits.readTimeoutMs,
      connectionsCheckingInterval: CHECK_INTERVAL_MS,
    },
    onRequest,
  );
  // One timer for a connection without a request and for a peer that does not read its reply. A keep-alive timeout
  // of its own would be set and taken back at every request.
  server.keepAliveTimeout = 0;
  server.timeout = limits.idleTimeoutMs;
  if (limits.connections > 0) server.maxConnections = limits.connections;
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => {
      reject(new ListenError(CODES[systemCode(error)] ?? "listen-failed", formatAddress(address)));
    });
    server.listen(address.port, address.host, resolve);
  });
  return server;
}

/** The address a server is bound to. */
export function boundAddress(server: Server): ListenAddress {
  const { address, port } = server.address() as AddressInfo;
  return { host: address, port };
}

/** Stops listening, lets requests in progress finish for `graceMs`, then cuts what is left. */
export async function closeServer(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(cut);
}
