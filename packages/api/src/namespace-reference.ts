/** Owns the reference pages per namespace, with an example per method, and the compatibility page. */
import { otherNodes, type Support } from "./compatibility.ts";
import { rpcErrors } from "./errors.ts";
import type { Constant, Method, MethodEntry, MethodTable, Param } from "./method.ts";
import { methodTables } from "./methods/index.ts";

/** A call and its answer as they were on the wire. */
export interface MethodExample {
  readonly params: readonly unknown[];
  readonly result: unknown;
}

/** Examples by method name. */
export type MethodExamples = Readonly<Record<string, MethodExample>>;

type Served = Method<readonly Param<unknown>[]> | Constant;

function exampleLines(name: string, example: MethodExample | undefined): string[] {
  if (example === undefined) return [];
  const request = JSON.stringify({ jsonrpc: "2.0", id: 1, method: name, params: example.params });
  const response = JSON.stringify({ jsonrpc: "2.0", id: 1, result: example.result }, null, 2);
  return ["```json", request, "```", "```json", response, "```", ""];
}

function paramLines(params: readonly Param<unknown>[]): string[] {
  if (params.length === 0) return ["No parameters.", ""];
  const rows = params.map(
    ({ name, optional, codec }) => `| \`${name}\` | ${codec.title} | ${optional ? "no" : "yes"} |`,
  );
  return ["| parameter | form | required |", "|---|---|---|", ...rows, ""];
}

function errorLines(entry: Served): string[] {
  if (entry.kind === "constant" || entry.errors.length === 0) return [];
  const named = entry.errors.map((name) => `[${name}](errors.md) ${rpcErrors[name].code}`);
  return [`Errors: ${named.join(", ")}.`, ""];
}

function section(name: string, entry: Served, examples: MethodExamples): string[] {
  const result = entry.kind === "constant" ? `always \`${entry.json}\`` : entry.result.title;
  return [
    `## ${name}`,
    "",
    `${entry.summary}${entry.access === "private" ? " Private: needs the operator's token." : ""}`,
    "",
    ...paramLines(entry.params),
    `Result: ${result}.`,
    "",
    ...errorLines(entry),
    ...exampleLines(name, examples[name]),
  ];
}

/** The pages of all namespaces that have served methods: name of the namespace → Markdown. */
export function renderNamespaceReferences(examples: MethodExamples): ReadonlyMap<string, string> {
  const pages = new Map<string, string>();
  for (const [namespace, table] of Object.entries<MethodTable>(methodTables)) {
    const entries = Object.entries(table);
    const sections = entries.flatMap(([name, entry]) =>
      entry.kind === "refused" ? [] : section(name, entry, examples),
    );
    if (sections.length === 0) continue;
    const refused = entries.flatMap(([name, entry]) =>
      entry.kind === "refused" ? [`- \`${name}\`: ${entry.reason}`] : [],
    );
    const tail = refused.length === 0 ? [] : ["## Not served", "", ...refused, ""];
    const intro = "Generated from `packages/api/src/methods`; the examples were recorded from a node.";
    pages.set(namespace, [`# ${namespace}`, "", intro, "", ...sections, ...tail].join("\n"));
  }
  return pages;
}

const OURS: Readonly<Record<MethodEntry["kind"], string>> = { method: "yes", constant: "constant", refused: "no" };

/** The page that sets each method beside other nodes. */
export function renderCompatibilityReference(): string {
  const names = new Map(Object.values<MethodTable>(methodTables).flatMap((table) => Object.entries(table)));
  for (const name of otherNodes.keys()) if (!names.has(name)) names.set(name, { kind: "refused", reason: "unknown" });
  const support = (name: string): Readonly<Record<"geth" | "evmd", Support>> => {
    const known = otherNodes.get(name);
    if (known === undefined) throw new TypeError(`${name} is not in the table of other nodes`);
    return known;
  };
  const rows = [...names].map(([name, entry]) => {
    const { geth, evmd } = support(name);
    return `| \`${name}\` | ${geth} | ${evmd} | ${OURS[entry.kind]} |`;
  });
  return [
    "# Compatibility",
    "",
    "Generated. geth is go-ethereum 1.17, evmd the example chain of Cosmos EVM; `part` means a stub or another meaning.",
    "Why a method is not served stands in [JSON-RPC methods](json-rpc.md).",
    "",
    "| method | geth | evmd | Cairn |",
    "|---|---|---|---|",
    ...rows,
    "",
  ].join("\n");
}
