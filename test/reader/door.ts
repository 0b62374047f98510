/** A submission door that remembers what it acknowledged; content that came before has the same id, as at the service. */
import { createHash } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export interface Taken {
  readonly id: string;
  readonly chain_id: string;
  readonly block_number: string;
  readonly source: string;
  readonly proof_data: string;
  readonly reorg_of?: string;
  readonly evidence?: unknown;
}

export interface Door {
  readonly url: string;
  /** Everything acknowledged, in order, without repeats. */
  readonly taken: readonly Taken[];
  /** Requests that repeated known content. */
  repeats(): number;
  /** Requests that were refused. */
  refusals(): number;
  /** Status to answer instead. */
  refuse: number | undefined;
  /** Called when a submission is stored: `silence` leaves it unanswered, a function is called once the answer is out. */
  onSubmission: (() => "silence" | (() => void)) | undefined;
  close(): Promise<void>;
}

/** Listens on a free loopback port. */
export async function startDoor(): Promise<Door> {
  const taken: Taken[] = [];
  let repeats = 0;
  let refusals = 0;
  const state = {
    refuse: undefined as number | undefined,
    onSubmission: undefined as Door["onSubmission"],
  };
  const server: Server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    if (state.refuse !== undefined) {
      refusals += 1;
      response.writeHead(state.refuse).end('{"code":"test-refusal"}');
      return;
    }
    const body = JSON.parse(Buffer.concat(chunks).toString());
    const id = `0x${createHash("sha256").update(`${body.chain_id}|${body.source}|${body.proof_data}`).digest("hex")}`;
    const known = taken.some((one) => one.id === id);
    if (known) repeats += 1;
    else taken.push({ id, ...body });
    const instead = state.onSubmission?.();
    if (instead === "silence") return;
    response.writeHead(known ? 200 : 202).end(JSON.stringify({ id }), instead);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(state, {
    url: `http://127.0.0.1:${port}/`,
    taken,
    repeats: () => repeats,
    refusals: () => refusals,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}

/** The value in a commitment's `proof_data`. */
export function valueIn(taken: Taken | undefined): string {
  return JSON.parse(taken?.proof_data ?? "{}").proof;
}
