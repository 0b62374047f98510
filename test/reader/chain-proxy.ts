/** Between the reader and a real chain: passes calls on, and answers some of them falsely, late or not at all. */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Call {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** What is answered in place of the chain's own answer: undefined passes the call on. */
export type Meddle = (
  call: Call,
  response: ServerResponse,
) => "handled" | { readonly error: object } | { readonly map: (result: never) => unknown } | undefined;

export interface ChainProxy {
  readonly url: string;
  readonly calls: readonly Call[];
  meddle: Meddle | undefined;
  close(): Promise<void>;
}

/** A proxy in front of a JSON-RPC endpoint. */
export async function startChainProxy(target: string, meddle?: Meddle): Promise<ChainProxy> {
  const calls: Call[] = [];
  const state = { meddle };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    const call: Call = JSON.parse(body);
    calls.push(call);
    const answer = state.meddle?.(call, response);
    if (answer === "handled") return;
    if (answer !== undefined && "error" in answer) {
      response.end(JSON.stringify({ jsonrpc: "2.0", id: call.id, ...answer }));
      return;
    }
    const headers = { "content-type": "application/json" };
    const reply = await (await fetch(target, { method: "POST", headers, body })).json();
    const { result, ...rest } = reply as { result: never };
    response.end(JSON.stringify(answer === undefined ? reply : { ...rest, result: answer.map(result) }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(state, {
    url: `http://127.0.0.1:${port}/`,
    calls,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}
