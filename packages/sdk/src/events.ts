/**
 * The caller's events as they happen: server-sent events (WHATWG HTML, "Server-sent events") over fetch, so that the
 * bearer token travels in its header. Reconnects by itself and resumes after the last event seen.
 */
import { type Connection, exchange, queryOf } from "./http.ts";
import { ServiceProblem } from "./service-problem.ts";

/** One event. */
export interface ServiceEvent {
  /** Where a later stream resumes (`lastEventId`). */
  readonly id: string;
  readonly type: string;
  /** The event's JSON value. */
  readonly data: unknown;
}

/** Which events, and from where on. */
export interface EventsOptions {
  /** Resume after this one; without it the stream begins now. */
  readonly lastEventId?: string;
  readonly chain_id?: string;
  readonly state?: string;
  /** First pause before connecting again, doubled up to half a minute; default 1,000. */
  readonly retryMs?: number;
  readonly signal?: AbortSignal;
}

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 30_000;
/** A line of a stranger that never ends. */
const MAX_LINE_CHARACTERS = 1_048_576;

/**
 * Yields events until `signal` aborts. A connection that ends is opened again after the last event; throws
 * `ServiceProblem` when the service refuses (token revoked, wrong filter).
 */
export async function* serviceEvents(connection: Connection, o: EventsOptions = {}): AsyncGenerator<ServiceEvent> {
  let lastEventId = o.lastEventId;
  const firstRetryMs = o.retryMs ?? FIRST_RETRY_MS;
  let retryMs = firstRetryMs;
  while (!isAborted(o.signal)) {
    try {
      for await (const event of oneStream(connection, o, lastEventId)) {
        lastEventId = event.id;
        retryMs = firstRetryMs;
        yield event;
      }
    } catch (error) {
      if (isAborted(o.signal)) return;
      if (error instanceof ServiceProblem && error.status < 500 && error.status !== 429) throw error;
    }
    await pause(retryMs, o.signal);
    retryMs = Math.min(LONGEST_RETRY_MS, retryMs * 2);
  }
}

async function* oneStream(
  connection: Connection,
  o: EventsOptions,
  lastEventId: string | undefined,
): AsyncGenerator<ServiceEvent> {
  const response = await exchange(connection, {
    path: `v1/events${queryOf({ chain_id: o.chain_id, state: o.state })}`,
    headers: {
      accept: "text/event-stream",
      ...(lastEventId === undefined ? {} : { "last-event-id": lastEventId }),
    },
    endless: true,
    ...(o.signal === undefined ? {} : { signal: o.signal }),
  });
  if (response.body === null) return;
  const lines = linesOf(response.body.pipeThrough(new TextDecoderStream()));
  yield* eventsOf(lines);
}

/** Lines of a stream whatever its chunks; CR, LF and CRLF end one. */
async function* linesOf(stream: ReadableStream<string>): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of iterate(stream)) {
    const parts = (rest + chunk).split(/\r\n|\n|\r(?!$)/);
    rest = parts.pop() ?? "";
    if (rest.length > MAX_LINE_CHARACTERS) throw new Error("a line of the event stream is too long");
    yield* parts;
  }
}

/** Browsers' streams are not all iterable. */
async function* iterate(stream: ReadableStream<string>): AsyncGenerator<string> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

async function* eventsOf(lines: AsyncIterable<string>): AsyncGenerator<ServiceEvent> {
  let id = "";
  let type = "message";
  let data: string[] = [];
  for await (const line of lines) {
    if (line === "") {
      if (data.length > 0) yield { id, type, data: JSON.parse(data.join("\n")) };
      type = "message";
      data = [];
      continue;
    }
    const colon = line.indexOf(":");
    if (colon === 0) continue;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "id") id = value;
    else if (field === "event") type = value;
    else if (field === "data") data.push(value);
  }
}

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  signal?.addEventListener("abort", () => resolve(), { once: true });
  return promise.finally(() => clearTimeout(timer));
}
