/** `npm run check`: lint, format, types, dead code and dependency rules of the TypeScript side. */
import { runStages, type Stage, tool } from "./stages.ts";

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
];

if (import.meta.main) {
  process.exitCode = (await runStages(CHECKS, 2)) ? 0 : 1;
}
