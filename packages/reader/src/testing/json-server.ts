/** A server for tests that answers JSON-RPC and REST from functions, and remembers what it was asked. */
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** What a server answers: a result, or a JSON-RPC error. */
export type Answer = { readonly result: unknown } | { readonly error: object };

/** A server that answers JSON and keeps what it was asked. */
export interface JsonServer {
  readonly url: string;
  readonly asked: { readonly method: string; readonly params: unknown; readonly headers: IncomingMessage["headers"] }[];
  close(): Promise<void>;
}

/** `rpc` answers JSON-RPC calls; `rest` everything else, undefined for 404. */
export async function startJsonServer(o: {
  readonly rpc?: (method: string, params: unknown) => Answer;
  readonly rest?: (method: string, path: string, body: unknown) => unknown;
}): Promise<JsonServer> {
  const asked: JsonServer["asked"] = [];
  const server = createServer(async (request, response) => {
    const text = await read(request);
    const body = text === "" ? undefined : JSON.parse(text);
    const path = request.url ?? "/";
    if (body?.jsonrpc === undefined) {
      asked.push({ method: `${request.method} ${path}`, params: body, headers: request.headers });
      const value = o.rest?.(request.method ?? "", path, body);
      response.writeHead(value === undefined ? 404 : 200).end(JSON.stringify(value ?? { message: "not found" }));
      return;
    }
    asked.push({ method: body.method, params: body.params, headers: request.headers });
    const answer = o.rpc?.(body.method, body.params) ?? { error: { code: -32_601, message: "method not found" } };
    response.end(JSON.stringify({ jsonrpc: "2.0", id: body.id, ...answer }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    asked,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
