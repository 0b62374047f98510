/** `npm run check`: lint, format, types, dead code, dependency rules and the conventions of this repository. */
import { globSync } from "node:fs";
import { ROOT, runStages, type Stage, tool } from "./stages.ts";

/** Documents, lengths, comments, levels, generated pages: tests that need nothing built. */
const conventions: Stage = {
  name: "conventions (test/conformance)",
  program: process.execPath,
  args: [
    ...["--conditions=cairn-source", "--disable-warning=ExperimentalWarning", "--test", "--test-reporter=dot"],
    ...globSync("test/conformance/*.test.ts", { cwd: ROOT }).sort(),
  ],
};

/** What `npm run check` runs. */
export const CHECKS: readonly Stage[] = [
  tool("lint and format (biome)", "@biomejs/biome/bin/biome", "check", "--error-on-warnings", "."),
  tool("types", "typescript-7/bin/tsc", "-p", "tsconfig.json"),
  tool("types of browser-safe packages", "typescript-7/bin/tsc", "-p", "tsconfig.browser.json"),
  tool("dead code and unused dependencies (knip)", "knip/bin/knip.js", "--no-progress", "--no-config-hints"),
  tool(
    "imports (dependency-cruiser)",
    "dependency-cruiser/bin/dependency-cruiser.mjs",
    "--config",
    ".dependency-cruiser.json",
    "--output-type",
    "err",
    "packages",
  ),
  conventions,
];

if (import.meta.main) {
  process.exitCode = (await runStages(CHECKS, 2)) ? 0 : 1;
}
