/**
 * `npm run generate`: writes the pages of docs/reference that derive from code. A test compares them, so a change of a
 * table without its page fails.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { renderErrorReference, renderMethodReference, renderRestReference } from "@cairn/api";
import { renderConfigReference } from "@cairn/node";
import { ROOT } from "./stages.ts";

/** Path below the checkout → text. */
export function referencePages(): ReadonlyMap<string, string> {
  return new Map([
    ["docs/reference/json-rpc.md", renderMethodReference()],
    ["docs/reference/errors.md", renderErrorReference()],
    ["docs/reference/rest.md", renderRestReference()],
    ["docs/reference/config.md", renderConfigReference()],
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
