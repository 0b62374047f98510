/** The route table as an OpenAPI 3.1 document. */
import { z } from "zod";
import { PROBLEM_CONTENT_TYPE, problems } from "./problem.ts";
import { problemSchema } from "./resource.ts";
import type { Route, RouteResponse } from "./route.ts";
import { restRoutes } from "./routes.ts";

type Json = Readonly<Record<string, unknown>>;

/** OpenAPI 3.1 document of the REST interface; deterministic, so that it can be compared in tests. */
export function openApi(): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const [name, entry] of Object.entries<Route>(restRoutes)) {
    const item = paths[entry.path] ?? {};
    item[entry.method.toLowerCase()] = operation(name, entry);
    paths[entry.path] = item;
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Cairn proof service",
      version: "1",
      description: "The sandbox serves every /v1 path also without the segment.",
    },
    paths,
    components: {
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
      schemas: { Problem: jsonSchema(problemSchema, "output") },
    },
  };
}

function operation(name: string, entry: Route): Json {
  return {
    operationId: name,
    summary: entry.summary,
    ...(entry.access === "token"
      ? { security: [{ token: entry.scope === undefined ? [] : [entry.scope] }] }
      : { security: [] }),
    parameters: entry.parameters.map((parameter) => ({
      name: parameter.name,
      in: parameter.in,
      description: parameter.summary,
      required: parameter.required ?? false,
      schema: { type: "string" },
    })),
    ...(entry.body === undefined
      ? {}
      : {
          requestBody: { required: true, content: { "application/json": { schema: jsonSchema(entry.body, "input") } } },
        }),
    responses: { ...successes(entry), ...failures(entry) },
  };
}

function successes(entry: Route): Json {
  return Object.fromEntries(Object.entries(entry.responses).map(([status, answer]) => [status, response(answer)]));
}

function response(answer: RouteResponse): Json {
  if (answer.schema !== undefined) {
    return {
      description: answer.summary,
      content: { [answer.contentType ?? "application/json"]: { schema: jsonSchema(answer.schema, "output") } },
    };
  }
  if (answer.contentType === undefined) return { description: answer.summary };
  return { description: answer.summary, content: { [answer.contentType]: {} } };
}

function failures(entry: Route): Json {
  const byStatus = new Map<number, string[]>();
  for (const code of [...entry.errors, "internal" as const]) {
    const { status } = problems[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const content = { [PROBLEM_CONTENT_TYPE]: { schema: { $ref: "#/components/schemas/Problem" } } };
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      { description: codes.map((code) => `\`${code}\``).join(", "), content },
    ]),
  );
}

function jsonSchema(schema: z.ZodType, io: "input" | "output"): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return rest;
}
