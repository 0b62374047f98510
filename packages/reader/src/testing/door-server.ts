/** The service's submission door for tests: remembers what it acknowledged, can refuse or fail. */
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A submission as it came. */
export interface Taken {
  readonly block_number: string;
  readonly chain_id: string;
  readonly source: string;
  readonly reorg_of?: string;
  readonly proof_data: string;
}

/** What the service answers when it does not take a submission. */
export interface Refusal {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A service's door that a test opens and shuts. */
export interface DoorServer {
  readonly url: string;
  /** Acknowledged submissions in order, without repeats of the same content. */
  readonly taken: ReadonlyMap<string, Taken>;
  /** Status to answer instead of 202, or the whole refusal. */
  refuse: number | Refusal | undefined;
  /** When each request came, in ms of this process. */
  readonly requests: readonly number[];
  close(): Promise<void>;
}

const PROBLEM = '{"code":"test-refusal"}';

/** Listens on a free loopback port. */
export async function startDoorServer(): Promise<DoorServer> {
  const taken = new Map<string, Taken>();
  const requests: number[] = [];
  const state = { refuse: undefined as DoorServer["refuse"] };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    requests.push(performance.now());
    if (state.refuse !== undefined) {
      const refusal = typeof state.refuse === "number" ? { status: state.refuse, body: PROBLEM } : state.refuse;
      response.writeHead(refusal.status, { "content-type": "application/problem+json", ...refusal.headers });
      response.end(refusal.body);
      return;
    }
    const body: Taken = JSON.parse(Buffer.concat(chunks).toString());
    const id = createHash("sha256").update(`${body.chain_id}|${body.source}|${body.proof_data}`).digest("hex");
    const known = taken.has(id);
    if (!known) taken.set(id, body);
    response.writeHead(known ? 200 : 202, { "content-type": "application/json" }).end(JSON.stringify({ id }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(state, {
    url: `http://127.0.0.1:${port}/`,
    taken,
    requests,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}
