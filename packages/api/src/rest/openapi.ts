/** The route table as an OpenAPI 3.1 document. */
import { z } from "zod";
import { PROBLEM_CONTENT_TYPE, type ProblemCode, problems } from "./problem.ts";
import { problemSchema } from "./resource.ts";
import { type Environment, isServedIn, type Route, type RouteParameter, type RouteResponse } from "./route.ts";
import { restRoutes } from "./routes.ts";

type Json = Readonly<Record<string, unknown>>;

const DESCRIPTION = `Proofs in, receipts out. JSON in snake_case; hashes 0x-hex; times RFC 3339 in UTC.

The sandbox serves every /v1 path also without the segment. Every answer carries \`X-Request-Id\` (the one sent, if one
was sent) and \`X-Cairn-Environment\`. Errors are \`application/problem+json\` (RFC 9457) with a stable \`code\`.
Another method than those named is answered 405 \`method-not-allowed\`; \`Allow\` names them.`;

/**
 * OpenAPI 3.1 document of the REST interface as an environment serves it, the sandbox's routes being all there are;
 * deterministic, so that it can be compared in tests.
 */
export function openApi(environment: Environment = "sandbox"): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const [name, entry] of Object.entries<Route>(restRoutes)) {
    if (!isServedIn(entry, environment)) continue;
    const item = paths[entry.path] ?? {};
    item[entry.method.toLowerCase()] = operation(name, entry);
    paths[entry.path] = item;
  }
  return {
    openapi: "3.1.0",
    info: { title: "Cairn proof service", version: "1", description: DESCRIPTION },
    paths,
    components: {
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
      schemas: { Problem: jsonSchema(problemSchema, "output") },
      headers: HEADERS,
    },
  };
}

const HEADERS = {
  "X-Request-Id": { description: "Names the request in the service's log.", schema: { type: "string" } },
  "X-Cairn-Environment": {
    description: "Which environment answers.",
    schema: { type: "string", enum: ["sandbox", "production"] },
  },
  ETag: { description: "Names this representation.", schema: { type: "string" } },
  Location: { description: "Where the resource is.", schema: { type: "string" } },
  "Retry-After": { description: "Seconds to wait.", schema: { type: "string", pattern: "^[0-9]+$" } },
  "WWW-Authenticate": { description: "How to authenticate (RFC 6750).", schema: { type: "string" } },
} as const;

/** References to headers; a required one is on every answer of this status. */
function headers(...names: readonly (keyof typeof HEADERS)[]): Json {
  return Object.fromEntries(
    ["X-Request-Id" as const, "X-Cairn-Environment" as const, ...names].map((name) => [
      name,
      { $ref: `#/components/headers/${name}` },
    ]),
  );
}

function operation(name: string, entry: Route): Json {
  const scopes = entry.scope === undefined ? [] : [entry.scope];
  return {
    operationId: name,
    summary: entry.summary,
    security: entry.access === "token" ? [{ token: scopes }] : [],
    parameters: entry.parameters.map(parameter),
    ...(entry.body === undefined ? {} : { requestBody: requestBody(entry.body) }),
    responses: { ...successes(entry), ...failures(entry) },
  };
}

function parameter(of: RouteParameter): Json {
  return {
    name: of.name,
    in: of.in,
    description: of.summary,
    required: of.required ?? false,
    schema: of.schema === undefined ? { type: "string" } : jsonSchema(of.schema, "input"),
  };
}

function requestBody(schema: z.ZodType): Json {
  return { required: true, content: { "application/json": { schema: jsonSchema(schema, "input") } } };
}

function successes(entry: Route): Json {
  return Object.fromEntries(
    Object.entries(entry.responses).map(([status, answer]) => [status, response(entry, status, answer)]),
  );
}

function response(entry: Route, status: string, answer: RouteResponse): Json {
  const hasTag = entry.etag === true && (status === "200" || status === "304");
  const described = { description: answer.summary, headers: hasTag ? headers("ETag") : headers() };
  const type = answer.contentType ?? (answer.schema === undefined ? undefined : "application/json");
  if (type === undefined) return described;
  const isBinary = answer.schema === undefined && !/json|text/.test(type);
  const body = isBinary ? { schema: { type: "string", format: "binary" } } : {};
  const schema = answer.schema === undefined ? body : { schema: jsonSchema(answer.schema, "output") };
  return { ...described, content: { [type]: schema } };
}

/** What any route can answer: the request cannot be served, the service is busy or fails. */
const COMMON: readonly ProblemCode[] = ["invalid-request", "internal", "unavailable"];

function failures(entry: Route): Json {
  const byStatus = new Map<number, string[]>();
  for (const code of new Set<ProblemCode>([...entry.errors, ...addressErrors(entry), ...COMMON])) {
    const { status } = problems[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const content = { [PROBLEM_CONTENT_TYPE]: { schema: { $ref: "#/components/schemas/Problem" } } };
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      { description: codes.map((code) => `\`${code}\``).join(", "), headers: failureHeaders(status), content },
    ]),
  );
}

/** Without a key, addresses are counted. */
function addressErrors(entry: Route): readonly ProblemCode[] {
  return entry.access === "public" || entry.errors.includes("unauthorized") ? ["rate-limited"] : [];
}

function failureHeaders(status: number): Json {
  if (status === 401) return headers("WWW-Authenticate");
  return status === 429 || status === 503 ? headers("Retry-After") : headers();
}

function jsonSchema(schema: z.ZodType, io: "input" | "output"): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return rest;
}
