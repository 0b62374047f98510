/** One HTTP exchange with the service: bearer token, time limit, problems as errors. Knows no route. */
import { ServiceProblem, ServiceUnreachable } from "./service-problem.ts";

/** Where and as whom. */
export interface Connection {
  /** Base URL, without `/v1`. */
  readonly url: string;
  /** Bearer token; public routes work without. */
  readonly token?: string;
  /** Per exchange, beside what the service is asked to wait; default 15,000. */
  readonly timeoutMs?: number;
  /** Default: the global one. */
  readonly fetch?: typeof globalThis.fetch;
}

/** Of calls that make something. */
export interface KeyOption {
  /**
   * Any text of 1 to 255 visible characters, new for each thing to be made: a call repeated with it within a day, after
   * a lost answer say, makes nothing twice and is answered like the first.
   */
  readonly idempotencyKey?: string;
}

/** What is sent. */
export interface Exchange {
  readonly method?: "GET" | "POST" | "DELETE";
  /** Under the base URL, with its query. */
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** A repeat under the same key is answered with the first success. */
  readonly idempotencyKey?: string;
  /** Added to the time limit. */
  readonly waitSeconds?: number;
  /** The answer is a stream without an end: only `signal` ends it. */
  readonly endless?: boolean;
  readonly signal?: AbortSignal;
}

const DEFAULT_TIMEOUT_MS = 15_000;

/** Sends and answers the response when it is a success or 304; throws `ServiceProblem` or `ServiceUnreachable`. */
export async function exchange(connection: Connection, o: Exchange): Promise<Response> {
  const response = await send(connection, o);
  if (response.ok || response.status === 304) return response;
  throw new ServiceProblem(response.status, response.headers, await readObject(response));
}

/** As `exchange`, with the answer's JSON value. */
export async function exchangeJson<T>(connection: Connection, o: Exchange): Promise<T> {
  return (await (await exchange(connection, o)).json()) as T;
}

async function send(connection: Connection, o: Exchange): Promise<Response> {
  const limitMs = (connection.timeoutMs ?? DEFAULT_TIMEOUT_MS) + (o.waitSeconds ?? 0) * 1_000;
  const limits = [
    ...(o.endless === true ? [] : [AbortSignal.timeout(limitMs)]),
    ...(o.signal === undefined ? [] : [o.signal]),
  ];
  const base = connection.url.endsWith("/") ? connection.url : `${connection.url}/`;
  const fetch = connection.fetch ?? globalThis.fetch;
  try {
    return await fetch(new URL(o.path.replace(/^\//, ""), base), {
      method: o.method ?? "GET",
      headers: {
        ...(connection.token === undefined ? {} : { authorization: `Bearer ${connection.token}` }),
        ...(o.body === undefined ? {} : { "content-type": "application/json" }),
        ...(o.waitSeconds === undefined ? {} : { prefer: `wait=${o.waitSeconds}` }),
        ...(o.idempotencyKey === undefined ? {} : { "idempotency-key": quoted(o.idempotencyKey) }),
        ...o.headers,
      },
      ...(o.body === undefined ? {} : { body: JSON.stringify(o.body) }),
      signal: AbortSignal.any(limits),
    });
  } catch (error) {
    o.signal?.throwIfAborted();
    throw new ServiceUnreachable("the service does not answer", { cause: error });
  }
}

/** A structured-field string (RFC 8941). */
function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, "\\$&")}"`;
}

async function readObject(response: Response): Promise<Readonly<Record<string, unknown>>> {
  try {
    const body: unknown = await response.json();
    return typeof body === "object" && body !== null ? (body as Readonly<Record<string, unknown>>) : {};
  } catch {
    return {};
  }
}

/** The query string of the members that are set, with its question mark; empty without any. */
export function queryOf(o: object = {}): string {
  const entries = Object.entries(o).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return entries.length === 0 ? "" : `?${new URLSearchParams(entries)}`;
}
