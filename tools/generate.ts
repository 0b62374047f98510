/**
 * `npm run generate`: writes the pages of docs/reference that derive from code. A test compares them, so a change of a
 * table without its page fails.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  type MethodExamples,
  openApi,
  renderCompatibilityReference,
  renderErrorReference,
  renderMethodReference,
  renderNamespaceReferences,
  renderRestReference,
} from "@cairn/api";
import { renderConfigReference } from "@cairn/node";
import { renderReaderReference } from "@cairn/reader";
import { renderMetricsReference, renderServiceConfigReference } from "@cairn/service";
import { ROOT } from "./stages.ts";

/** Calls and answers recorded from a live node by tools/record-examples.ts. */
export const EXAMPLES = join(ROOT, "docs/examples/json-rpc.json");

/** Path below the checkout → text. */
export function referencePages(): ReadonlyMap<string, string> {
  const examples: MethodExamples = JSON.parse(readFileSync(EXAMPLES, "utf8"));
  const namespaces = [...renderNamespaceReferences(examples)];
  return new Map([
    ...namespaces.map(([name, text]) => [`docs/reference/${name}.md`, text] as const),
    ["docs/reference/compatibility.md", renderCompatibilityReference()],
    ["docs/reference/json-rpc.md", renderMethodReference()],
    ["docs/reference/errors.md", renderErrorReference()],
    ["docs/reference/rest.md", renderRestReference()],
    ["docs/reference/openapi.json", `${JSON.stringify(openApi(), null, 2)}\n`],
    ["docs/reference/config.md", renderConfigReference()],
    ["docs/reference/reader.md", renderReaderReference()],
    ["docs/reference/service-config.md", renderServiceConfigReference()],
    ["docs/reference/metrics.md", renderMetricsReference()],
  ]);
}

if (import.meta.main) {
  for (const [path, text] of referencePages()) {
    const file = join(ROOT, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    console.log(`wrote ${path}`);
  }
}
