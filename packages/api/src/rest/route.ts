/** One REST route as a value: the shape that server, client, OpenAPI document and reference page are made from. */
import type { z } from "zod";
import type { ProblemCode } from "./problem.ts";

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
}

/** A declared route. Paths carry parameters in braces. */
export interface Route {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  /** Further paths of the same route, outside production (specification: the sandbox path has no version segment). */
  readonly aliases: readonly string[];
  readonly access: RouteAccess;
  readonly summary: string;
  readonly parameters: readonly RouteParameter[];
  readonly body?: z.ZodObject;
  /** Largest body in bytes; default 2 MiB. */
  readonly bodyBytes?: number;
  readonly responses: Readonly<Record<number, RouteResponse>>;
  readonly errors: readonly ProblemCode[];
}

/** Declares a route. The sandbox serves every `/v1/…` path also without the segment. */
export function route(o: Omit<Route, "aliases" | "parameters"> & { parameters?: readonly RouteParameter[] }): Route {
  const aliases = o.path.startsWith("/v1/") ? [o.path.slice(3)] : [];
  return { ...o, aliases, parameters: o.parameters ?? [] };
}
