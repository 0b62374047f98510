/**
 * The newest requests of a sandbox, for whoever debugs a client: what was asked and answered, by `X-Request-Id`. Bodies
 * and credentials are not in it. Owns a bounded ring; forgets with the process.
 */
import type { FieldError, RequestLogEntry } from "@cairn/api";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Caller } from "../accounts/caller.ts";

/** The ring. */
export interface RequestLog {
  entered(request: FastifyRequest, caller: Caller): void;
  refused(request: FastifyRequest, problem: { readonly code: string; readonly errors?: readonly FieldError[] }): void;
  answered(request: FastifyRequest, reply: FastifyReply): void;
  /** The account's, newest first. */
  list(account: string, limit: number): readonly RequestLogEntry[];
  find(account: string, requestId: string): RequestLogEntry | undefined;
}

const KEPT = 1_000;
const MAX_TEXT = 512;
const MAX_ERRORS = 8;

/** Makes an empty ring. */
export function createRequestLog(): RequestLog {
  const entries: { readonly account: string; readonly entry: RequestLogEntry }[] = [];
  const callers = new WeakMap<FastifyRequest, Caller>();
  const problems = new WeakMap<FastifyRequest, Pick<RequestLogEntry, "code" | "errors">>();
  return {
    entered: (request, caller) => void callers.set(request, caller),
    refused: (request, { code, errors }) => {
      const few = errors?.slice(0, MAX_ERRORS).map((error) => ({ ...error }));
      problems.set(request, { code, ...(few === undefined ? {} : { errors: few }) });
    },
    answered: (request, reply) => {
      const caller = callers.get(request);
      if (caller === undefined) return;
      entries.push({ account: caller.account, entry: entryOf(request, reply, caller, problems.get(request)) });
      if (entries.length > KEPT) entries.splice(0, entries.length - KEPT);
    },
    list: (account, limit) =>
      entries
        .filter((item) => item.account === account)
        .slice(-limit)
        .reverse()
        .map((item) => item.entry),
    find: (account, requestId) =>
      entries.findLast((item) => item.account === account && item.entry.request_id === requestId)?.entry,
  };
}

function entryOf(
  request: FastifyRequest,
  reply: FastifyReply,
  caller: Caller,
  problem: Pick<RequestLogEntry, "code" | "errors"> = {},
): RequestLogEntry {
  const agent = request.headers["user-agent"];
  const length = request.headers["content-length"];
  return {
    request_id: request.id,
    time: new Date().toISOString(),
    method: request.method,
    url: request.url.slice(0, MAX_TEXT),
    status: reply.statusCode,
    ...problem,
    duration_ms: Math.round(reply.elapsedTime * 1_000) / 1_000,
    key_id: caller.keyId,
    ...(length === undefined ? {} : { body_bytes: Number(length) }),
    ...(agent === undefined ? {} : { user_agent: agent.slice(0, MAX_TEXT) }),
  };
}
