/** Listening on an address: the reader's HTTP servers begin and end here. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Log } from "../log.ts";
import { problem } from "./answers.ts";

/** A server, listening. */
export interface RestServer {
  readonly url: string;
  close(): Promise<void>;
}

/** The address of the reader cannot be used. */
export class ReaderListenError extends Error {
  readonly code = "listen-failed";
  override readonly name = "ReaderListenError";
}

/** Listens; throws ReaderListenError when the port is taken. A handler that fails is a 503 and a line in the log. */
export async function listenHttp(
  { host, port }: { readonly host: string; readonly port: number },
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
  log: Log,
): Promise<RestServer> {
  const server = createServer({ requestTimeout: 30_000, headersTimeout: 10_000 }, (request, response) => {
    handle(request, response).catch((error: unknown) => {
      log.error({ reason: error instanceof Error ? error.message : "unknown" }, "request failed");
      problem(response, 503, "unavailable", "the request could not be served now");
    });
  });
  await listening(server, host, port);
  const bound = (server.address() as AddressInfo).port;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${bound}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listening(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const address = `${host}:${port} (${error.code})`;
      reject(new ReaderListenError(`the reader cannot listen on ${address}: choose another address`));
    });
    server.listen(port, host, resolve);
  });
}
