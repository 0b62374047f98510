/** Owns the reference pages of JSON-RPC derived from the tables: Markdown text, the same on every run. */
import { rpcErrors } from "./errors.ts";
import type { MethodEntry, MethodTable, Param } from "./method.ts";
import { DEFAULT_NAMESPACES, methodTables, SUPPORTED_NAMESPACES } from "./methods/index.ts";

const escapeCell = (text: string): string => text.replaceAll("|", "\\|");

function paramText(param: Param<unknown>): string {
  return `\`${param.name}\`${param.optional ? "?" : ""}: ${param.codec.title}`;
}

function row(name: string, entry: MethodEntry): string {
  const cells =
    entry.kind === "refused"
      ? ["refused", "", "-32601", entry.reason]
      : [
          entry.kind === "constant" ? "constant" : "works",
          entry.params.map(paramText).join("; "),
          entry.kind === "constant" ? `\`${entry.json}\`` : entry.result.title,
          `${entry.summary}${entry.access === "private" ? " Private." : ""}`,
        ];
  return `| \`${name}\` | ${cells.map(escapeCell).join(" | ")} |`;
}

function section(namespace: string, table: MethodTable): string[] {
  const head = ["| method | state | parameters | result | about |", "|---|---|---|---|---|"];
  const isServed = Object.values(table).some((entry) => entry.kind !== "refused");
  const more = isServed ? [`Each method with an example: [${namespace}](${namespace}.md).`, ""] : [];
  return [
    `## ${namespace}`,
    "",
    ...more,
    ...head,
    ...Object.entries(table).map(([name, entry]) => row(name, entry)),
    "",
  ];
}

/** The page of all methods: works, constant, or refused and why. */
export function renderMethodReference(): string {
  return [
    "# JSON-RPC methods",
    "",
    "Generated from `packages/api/src/methods`. JSON-RPC 2.0 by POST over HTTP and over WebSocket; parameters are",
    "positional, `?` marks those that may be left out. Private methods need `Authorization: Bearer <token>` and answer",
    "4100 without it. Any method also answers -32602 for parameters that are not of their form.",
    "",
    `Namespaces that can be enabled: ${SUPPORTED_NAMESPACES.join(", ")}. By default: ${DEFAULT_NAMESPACES.join(", ")}.`,
    "`rpc` is always served.",
    "",
    ...Object.entries<MethodTable>(methodTables).flatMap(([namespace, table]) => section(namespace, table)),
  ].join("\n");
}

/** The page of all JSON-RPC errors. */
export function renderErrorReference(): string {
  const rows = Object.entries(rpcErrors).map(
    ([name, { code, text, when }]) => `| ${name} | ${code} | \`${escapeCell(text)}\` | ${escapeCell(when)} |`,
  );
  const head = ["| name | code | text | when |", "|---|---|---|---|"];
  const intro = "Generated from `packages/api/src/errors.ts`. `{…}` is filled in.";
  return ["# JSON-RPC errors", "", intro, "", ...head, ...rows, ""].join("\n");
}
