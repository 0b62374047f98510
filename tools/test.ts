/**
 * `npm test`: everything CI runs. `npm test -- STAGE …` runs only the named stages: check, rust, unit, cross.
 */
import { globSync } from "node:fs";
import { join } from "node:path";
import { CHECKS } from "./check.ts";
import { ROOT, runStage, runStages, type Stage } from "./stages.ts";

const native = join(ROOT, "native");
const cargoEnv = { CARGO_TARGET_DIR: join(process.env.CAIRN_CACHE ?? native, "cargo") };

function cargo(name: string, ...args: string[]): Stage {
  return { name, program: "cargo", args, cwd: native, env: cargoEnv };
}

/**
 * node:test over the files of a pattern, three at a time: many wait for what they started. The check has run the
 * conventions.
 */
function nodeTests(name: string, pattern: string): Stage {
  const files = globSync(pattern, { cwd: ROOT, exclude: ["test/conformance/**"] }).sort();
  const flags = ["--conditions=cairn-source", "--disable-warning=ExperimentalWarning", "--test"];
  return {
    name,
    program: process.execPath,
    args: [...flags, "--test-concurrency=3", "--test-timeout=300000", ...files],
    loud: true,
  };
}

const STAGES: Record<string, () => Promise<boolean>> = {
  check: () => runStages(CHECKS, 2),
  rust: () =>
    runStages(
      [cargo("rust format", "fmt", "--check"), cargo("rust tests", "test", "--release", "--locked", "--workspace")],
      1,
    ),
  unit: () => runStage(nodeTests("unit tests", "packages/*/src/**/*.test.ts")),
  cross: () => runStage(nodeTests("tests across packages", "test/**/*.test.ts")),
};

const started = performance.now();
const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(name in STAGES));
if (unknown.length > 0) throw new Error(`no such stage: ${unknown.join(", ")} (${Object.keys(STAGES).join(", ")})`);
const failed: string[] = [];
for (const [name, run] of Object.entries(STAGES)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  if (!(await run())) failed.push(name);
}
const minutes = ((performance.now() - started) / 60_000).toFixed(1);
console.log(failed.length === 0 ? `all passed in ${minutes} min` : `FAILED: ${failed.join(", ")} (${minutes} min)`);
process.exitCode = failed.length === 0 ? 0 : 1;
