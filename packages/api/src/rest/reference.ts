/** The route table and the error catalogues as the reference page `docs/reference/rest.md`. */
import { z } from "zod";
import { PROBLEM_TYPE_BASE, problems } from "./problem.ts";
import { rejections } from "./rejection.ts";
import type { Route } from "./route.ts";
import { restRoutes } from "./routes.ts";
import { scopes } from "./scope.ts";
import { bodyLimits } from "./submission-body.ts";

/** Markdown text of the REST reference; deterministic, ends with a newline. */
export function renderRestReference(): string {
  return [
    "# REST reference",
    "",
    "Generated from the route table in `packages/api/src/rest`. JSON in snake_case. The sandbox serves every `/v1` path",
    "also without the segment. Every answer carries `X-Request-Id`. `/openapi.json` has the schemas.",
    "Receipts, batches, anchors and timestamps may be read by web pages of any origin; everything else by none.",
    "",
    "## Routes",
    "",
    ...Object.values<Route>(restRoutes).flatMap(routeSection),
    ...scopesAndLimits(),
    ...refusals(),
    "",
  ].join("\n");
}

function scopesAndLimits(): string[] {
  return [
    "## Scopes",
    "",
    "What a token may do. A token without the scope of a route is answered 403 `forbidden`.",
    "",
    "| scope | allows |",
    "|---|---|",
    ...Object.entries(scopes).map(([scope, meaning]) => `| \`${scope}\` | ${meaning} |`),
    "",
    "## Limits",
    "",
    `Body ${bodyLimits.bodyBytes} bytes, \`proof_data\` 1 to ${bodyLimits.proofDataBytes} bytes, ` +
      `\`metadata\` ${bodyLimits.metadataBytes} bytes, \`evidence\` ${bodyLimits.evidenceBytes} bytes, ` +
      `\`external_id\` ${bodyLimits.externalIdCharacters} characters.`,
    "",
  ];
}

function refusals(): string[] {
  return [
    "## Problems",
    "",
    `Errors are \`application/problem+json\` (RFC 9457); \`type\` is \`${PROBLEM_TYPE_BASE}<code>\`.`,
    "",
    "| code | status | title | meaning |",
    "|---|---|---|---|",
    ...Object.entries(problems).map(([code, p]) => `| \`${code}\` | ${p.status} | ${p.title} | ${p.description} |`),
    "",
    "## Rejections",
    "",
    "`error.code` of a submission whose state is `rejected`.",
    "",
    "| code | meaning |",
    "|---|---|",
    ...Object.entries(rejections).map(([code, meaning]) => `| \`${code}\` | ${meaning} |`),
  ];
}

/** What a field is for: its description stands on what is optional, not on its being so. */
function describe(field: unknown): string {
  if (!(field instanceof z.ZodType)) return "";
  return field.description ?? (field instanceof z.ZodOptional ? describe(field.unwrap()) : "");
}

function routeSection(entry: Route): string[] {
  const scope = entry.scope === undefined ? "" : ` with scope \`${entry.scope}\``;
  const access = entry.access === "token" ? `Needs \`Authorization: Bearer <token>\`${scope}.` : "Public.";
  const fields = Object.entries(entry.body?.shape ?? {});
  const answers = Object.entries(entry.responses).map(
    ([status, answer]) => `${status}${answer.contentType ? ` (\`${answer.contentType}\`)` : ""}: ${answer.summary}`,
  );
  return [
    `### \`${entry.method} ${entry.path}\``,
    "",
    `${entry.summary} ${access}`,
    "",
    ...entry.parameters.map((p) => `- ${p.in} \`${p.name}\`: ${p.summary}`),
    ...fields.map(([name, field]) => {
      const optional = field.safeParse(undefined).success ? "optional" : "required";
      return `- body \`${name}\` (${optional}): ${describe(field)}`;
    }),
    ...answers.map((answer) => `- answers ${answer}`),
    ...(entry.errors.length > 0 ? [`- problems ${entry.errors.map((code) => `\`${code}\``).join(", ")}`] : []),
    "",
  ];
}
