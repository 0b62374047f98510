/** A webhook receiver for tests: keeps what arrives, answers as told. */
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import type { TestContext } from "node:test";
import type { EventMessage } from "@cairn/api";
import { atEnd } from "./fixture.ts";

/** A request as it arrived. */
export interface Arrived {
  readonly id: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly message: EventMessage;
  readonly path: string;
}

/** A running receiver. */
export interface Receiver {
  readonly url: string;
  readonly arrived: readonly Arrived[];
  /** Answers from now on. */
  answer(how: (response: ServerResponse, arrived: Arrived) => void): void;
}

/** Listens on loopback until the test ends. Answers 204 until told otherwise. */
export async function openReceiver(t: TestContext): Promise<Receiver> {
  const arrived: Arrived[] = [];
  let answer: Parameters<Receiver["answer"]>[0] = (response) => response.writeHead(204).end();
  const server = createServer(async (request, response) => {
    const body = await text(request).catch(() => undefined);
    if (body === undefined) return;
    const { headers, url = "" } = request;
    const one = { id: String(headers["webhook-id"]), headers, body, message: JSON.parse(body), path: url };
    arrived.push(one);
    answer(response, one);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  atEnd(t, () => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    url: `http://127.0.0.1:${address.port}/hook`,
    arrived,
    answer: (how) => {
      answer = how;
    },
  };
}
