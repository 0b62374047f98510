/** The locked npm dependencies, installed once per lockfile. No install scripts run. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ROOT } from "./places.mjs";
import { npmScript } from "./runtime.mjs";
import { execute, step } from "./step.mjs";

/** Runs `npm ci` under the given Node.js unless this lockfile is installed already. */
export function ensureDependencies(node) {
  const lock = createHash("sha256")
    .update(readFileSync(join(ROOT, "package-lock.json")))
    .digest("hex");
  const marker = join(ROOT, "node_modules/.cairn-lock");
  if (existsSync(marker) && readFileSync(marker, "utf8") === lock) return;
  step("installing dependencies (npm ci)", () => {
    const env = { ...process.env, PATH: `${dirname(node)}:${process.env.PATH}` };
    execute(node, [npmScript(), "ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: ROOT, env });
    writeFileSync(marker, lock);
  });
}
