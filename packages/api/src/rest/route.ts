/** One REST route as a value: the shape that server, client, OpenAPI document and reference page are made from. */
import { z } from "zod";
import type { ProblemCode } from "./problem.ts";
import type { Scope } from "./scope.ts";

/** The two kinds of service: for trying, and for good; keys of one are refused by the other. */
export type Environment = "sandbox" | "production";

/** Who may call: anyone, or the bearer of a token. */
export type RouteAccess = "public" | "token";

/** One answer of a route. No schema: bytes or text of the given type. */
export interface RouteResponse {
  readonly summary: string;
  readonly contentType?: string;
  readonly schema?: z.ZodType;
}

/** A parameter of path, query or header. */
export interface RouteParameter {
  readonly in: "path" | "query" | "header";
  readonly name: string;
  readonly summary: string;
  readonly required?: boolean;
  /** For documents; reading is the handler's. Any text when absent. */
  readonly schema?: z.ZodType;
}

/** A declared route. Paths carry parameters in braces. */
export interface Route {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  /** Further paths of the same route, outside production (specification: the sandbox path has no version segment). */
  readonly aliases: readonly string[];
  readonly access: RouteAccess;
  /** What the token must be allowed to do; without it any token will do. */
  readonly scope?: Scope;
  /** Served in this environment only. */
  readonly environment?: "sandbox";
  readonly summary: string;
  readonly parameters: readonly RouteParameter[];
  /** The answer carries an `ETag`; `If-None-Match` with it is answered 304. */
  readonly etag?: boolean;
  readonly body?: z.ZodObject;
  /** No rate limits it: what an operator's probes read. */
  readonly unlimited?: boolean;
  /** Largest body in bytes; default 2 MiB. */
  readonly bodyBytes?: number;
  readonly responses: Readonly<Record<number, RouteResponse>>;
  readonly errors: readonly ProblemCode[];
}

/** Is a route there in this environment? */
export function isServedIn({ environment }: Pick<Route, "environment">, where: Environment): boolean {
  return environment === undefined || environment === where;
}

/** Shortest key where no token tells whose it is: what others could guess is none. */
export const PUBLIC_IDEMPOTENCY_KEY_CHARACTERS = 16;

/** A structured-field string (RFC 8941), or a bare word. */
function idempotencyKeyForm(least: number): RegExp {
  const quoted = String.raw`"(?:[ !#-\[\]-~]|\\["\\]){${least},255}"`;
  return new RegExp(`^(?:${quoted}|[!#-~]{${least},255})$`);
}

function idempotencyKey(access: RouteAccess): RouteParameter {
  const least = access === "public" ? PUBLIC_IDEMPOTENCY_KEY_CHARACTERS : 1;
  return {
    in: "header",
    name: "Idempotency-Key",
    schema: z.string().regex(idempotencyKeyForm(least)),
    summary:
      `Quoted string, or bare word, of ${least} to 255 visible characters, chosen by the caller. The same key and body ` +
      "within 24 hours are answered with the first success again (`Idempotency-Replayed: true`); refusals are not kept.",
  };
}
const idempotencyErrors: readonly ProblemCode[] = [
  "invalid-idempotency-key",
  "idempotency-in-progress",
  "idempotency-key-reused",
];

const ifNoneMatch: RouteParameter = {
  in: "header",
  name: "If-None-Match",
  summary: "`ETag` of the version already known.",
};
const notModified = { 304: { summary: "Still the version of `If-None-Match`." } };

/** A body that is sent must be readable, also where none is asked for. */
const unreadableErrors: readonly ProblemCode[] = ["malformed-json", "body-too-large", "unsupported-media-type"];

/** Declares a route. The sandbox serves every `/v1/…` path also without the segment. */
export function route(o: Omit<Route, "aliases" | "parameters"> & { parameters?: readonly RouteParameter[] }): Route {
  // Every POST takes a key: also what changes nothing of its own is answered as the first time.
  const isIdempotent = o.method === "POST";
  const hasTag = o.etag === true;
  return {
    ...o,
    aliases: o.path.startsWith("/v1/") ? [o.path.slice(3)] : [],
    parameters: [
      ...(o.parameters ?? []),
      ...(isIdempotent ? [idempotencyKey(o.access)] : []),
      ...(hasTag ? [ifNoneMatch] : []),
    ],
    responses: hasTag ? { ...o.responses, ...notModified } : o.responses,
    errors: [
      ...new Set([
        ...o.errors,
        ...(isIdempotent ? idempotencyErrors : []),
        ...(o.method === "GET" ? [] : unreadableErrors),
        ...rateErrors(o.unlimited),
      ]),
    ],
  };
}

/** Any request may find its key's or its address's rate used up. */
function rateErrors(unlimited: boolean | undefined): readonly ProblemCode[] {
  return unlimited === true ? [] : ["rate-limited"];
}
