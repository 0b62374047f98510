/** A reader of server-sent events for tests: what arrived so far, parsed as the HTML standard says. */
import { once } from "node:events";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import type { TestContext } from "node:test";
import type { EventMessage } from "@cairn/api";
import type { RunningService } from "../service.ts";
import { atEnd, TOKEN } from "./fixture.ts";

/** An event as it arrived. */
export interface ArrivedEvent {
  readonly id: string;
  readonly type: string;
  readonly message: EventMessage;
}

/** An open stream. */
export interface EventSource {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly events: readonly ArrivedEvent[];
  /** The id a browser would send when it comes back. */
  lastEventId(): string;
  readonly comments: readonly string[];
  readonly ended: Promise<unknown>;
  close(): void;
}

/** Opens a stream; it is closed when the test ends. */
export async function openEvents(
  t: TestContext,
  service: RunningService,
  o: { readonly query?: string; readonly token?: string; readonly headers?: Record<string, string> } = {},
): Promise<EventSource> {
  const headers = { authorization: `Bearer ${o.token ?? TOKEN}`, ...o.headers };
  const asked: ClientRequest = request(`${service.url}/v1/events${o.query ?? ""}`, { headers }).end();
  atEnd(t, () => asked.destroy());
  const [response] = (await once(asked, "response")) as [IncomingMessage];
  const events: ArrivedEvent[] = [];
  const comments: string[] = [];
  let lastEventId = "";
  let rest = "";
  response.setEncoding("utf8").on("data", (chunk: string) => {
    const blocks = (rest + chunk).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const fields = new Map(block.split("\n").map((line) => line.split(/: (.*)/s) as [string, string]));
      comments.push(...(fields.has("") ? [fields.get("") ?? ""] : []));
      lastEventId = fields.get("id") ?? lastEventId;
      const data = fields.get("data");
      if (data === undefined) continue;
      events.push({ id: lastEventId, type: fields.get("event") ?? "", message: JSON.parse(data) });
    }
  });
  response.on("error", () => {});
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    events,
    comments,
    lastEventId: () => lastEventId,
    ended: new Promise((resolve) => response.once("close", resolve)),
    close: () => asked.destroy(),
  };
}
