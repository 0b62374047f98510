/** `GET /v1/events`: the caller's submissions as server-sent events. */
import { once } from "node:events";
import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import { canonicalChainId, type SubmissionEventRecord } from "@cairn/aggregator";
import { CHAIN_ID_FORM, EVENT_STREAM_CONTENT_TYPE, type FieldError, isChainId, submissionStates } from "@cairn/api";
import { eventMessage } from "../events/event-message.ts";
import { type EventSink, runEventStream } from "../events/event-stream.ts";
import type { RestContext, RestHandler, RestRequest } from "./context.ts";
import { ProblemError } from "./problem-error.ts";
import { oneText } from "./query.ts";

interface StreamQuery {
  readonly after: number;
  readonly states: ReadonlySet<string> | undefined;
  readonly chainKey: string | undefined;
}

/** Opens a stream and keeps it. */
export function streamEvents(context: RestContext): RestHandler {
  return async (request) => {
    const { http, reply, caller, stillAllowed } = request;
    const query = streamQuery(context, request);
    if (http.method === "HEAD") return reply.type(EVENT_STREAM_CONTENT_TYPE).send();
    const place = context.streamPlaces.take(caller.keyId);
    if (!place.ok) throw noPlace(place.full);
    reply.hijack();
    const { raw } = reply;
    const sink = createSink(raw, context.signal);
    raw.once("close", place.leave);
    raw.writeHead(200, { ...(reply.getHeaders() as OutgoingHttpHeaders), ...STREAM_HEADERS });
    const end = await runEventStream({
      feed: context.events,
      account: caller.account,
      after: query.after,
      matches: (event) => isWanted(event, query),
      render: (event) => {
        const message = eventMessage(context.environment, event);
        context.streamCounts.sent();
        return { type: message.type, json: JSON.stringify(message) };
      },
      isAllowed: stillAllowed,
      heartbeatMs: context.heartbeatMs,
      sink,
    }).catch((error: unknown) => {
      context.log.warn({ request_id: http.id, error: String(error) }, "an event stream failed");
      return "too-slow" as const;
    });
    context.streamCounts.ended(end);
    if (end === "too-slow") raw.destroy();
    else raw.end();
    place.leave();
    return reply;
  };
}

const STREAM_HEADERS = {
  "content-type": EVENT_STREAM_CONTENT_TYPE,
  "cache-control": "no-store",
  // Proxies that collect answers would hold events back.
  "x-accel-buffering": "no",
};

/** The response as a sink; closed with the connection or with the service. */
function createSink(raw: ServerResponse, stopping: AbortSignal): EventSink {
  const gone = new AbortController();
  raw.once("close", () => gone.abort());
  raw.on("error", () => gone.abort());
  const closed = AbortSignal.any([gone.signal, stopping]);
  return {
    closed,
    write: (text) => raw.write(text),
    drained: async (timeoutMs) => {
      const signal = AbortSignal.any([closed, AbortSignal.timeout(timeoutMs)]);
      return once(raw, "drain", { signal }).then(
        () => true,
        () => false,
      );
    },
  };
}

function isWanted(event: SubmissionEventRecord, { states, chainKey }: StreamQuery): boolean {
  return (states?.has(event.state) ?? true) && (chainKey === undefined || event.submission.chainKey === chainKey);
}

function streamQuery(context: RestContext, { http, caller }: RestRequest): StreamQuery {
  const q = http.query as Readonly<Record<string, unknown>>;
  const faults: FieldError[] = [];
  const head = context.events.head();
  const since = oneText(q, "since", faults);
  const asked = since === undefined ? head : eventNumber(since);
  if (asked === undefined) faults.push(fault("since", NO_EVENT));
  const after = lastEventId(http.headers["last-event-id"]) ?? asked;
  const states = oneText(q, "state", faults)?.split(",");
  if (states?.some((state) => !submissionStates.some((known) => known === state))) {
    faults.push(fault("state", `must be one or more of ${submissionStates.join(", ")}`));
  }
  const chainId = oneText(q, "chain_id", faults);
  if (chainId !== undefined && !isChainId(chainId)) faults.push(fault("chain_id", CHAIN_ID_FORM));
  if (faults.length > 0) throw new ProblemError("invalid-query", { errors: faults });
  const resolved = chainId === undefined ? undefined : context.accounts.resolveChain(caller.account, chainId)?.chainKey;
  return {
    after: Math.min(after ?? head, head),
    states: states === undefined ? undefined : new Set(states),
    chainKey: chainId === undefined ? undefined : (resolved ?? canonicalChainId(chainId)),
  };
}

const NO_EVENT = "must be the id of an event";

/** What the header says; undefined without one. Throws the `invalid-header` problem. */
function lastEventId(sent: string | string[] | undefined): number | undefined {
  if (sent === undefined || sent === "") return undefined;
  const after = eventNumber(String(sent));
  if (after !== undefined) return after;
  const errors: FieldError[] = [{ header: "Last-Event-ID", code: "invalid", detail: NO_EVENT }];
  throw new ProblemError("invalid-header", { errors });
}

function eventNumber(text: string): number | undefined {
  return /^(?:0|[1-9][0-9]{0,14})$/.test(text) ? Number(text) : undefined;
}

function fault(parameter: string, detail: string): FieldError {
  return { parameter, code: "invalid", detail };
}

function noPlace(full: "key" | "all"): ProblemError {
  const headers = { "retry-after": "5" };
  if (full === "key") return new ProblemError("too-many-streams", { headers });
  return new ProblemError("unavailable", { detail: "the service serves no more event streams now", headers });
}
