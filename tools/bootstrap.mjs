/**
 * Brings what the project needs and runs one of its commands. Runs on any Node.js from version 20, without dependencies.
 * Owns: the Node.js runtime, `npm ci`, the native addon, the test tools; all cached outside the checkout and keyed by
 * content. Does not own what the commands do. A second run is silent and takes well under a second.
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { constants } from "node:os";
import { join, relative } from "node:path";
import { ensureDependencies } from "./setup/dependencies.mjs";
import { ensureAddon } from "./setup/native.mjs";
import { CACHE, ROOT } from "./setup/places.mjs";
import { ensureRuntime } from "./setup/runtime.mjs";
import { Failure } from "./setup/step.mjs";
import { ensureTestTools } from "./setup/test-tools.mjs";

const SOURCES = ["--conditions=cairn-source", "--disable-warning=ExperimentalWarning"];

/** Script of each command, and whether it needs the native addon and the test tools. */
const COMMANDS = {
  start: { script: "packages/cli/src/main.ts", first: ["sandbox"], addon: true },
  cli: { script: "packages/cli/src/main.ts", addon: true },
  test: { script: "tools/test.ts", addon: true, tools: true },
  check: { script: "tools/check.ts" },
  generate: { script: "tools/generate.ts" },
  bench: { script: "bench/run.ts", addon: true, tools: true },
};

function main([name, ...rest]) {
  const command = COMMANDS[name];
  if (command === undefined) {
    throw new Failure(`usage: node tools/bootstrap.mjs {${Object.keys(COMMANDS).join("|")}} [arguments]`);
  }
  const node = ensureRuntime();
  ensureDependencies(node);
  // Compiled modules are kept, of every process that descends from this one: each starts in less than half the time.
  const kept = { NODE_COMPILE_CACHE: join(CACHE, "compiled") };
  const env = { ...kept, ...process.env, ...userWords(), CAIRN_CACHE: CACHE };
  if (command.addon) env.CAIRN_NATIVE_ADDON = ensureAddon();
  if (command.tools) Object.assign(env, ensureTestTools());
  const script = join(ROOT, command.script);
  if (!existsSync(script)) throw new Failure(`${command.script} is missing: the checkout is incomplete`);
  run(node, [...SOURCES, script, ...(command.first ?? []), ...rest], env);
}

/** How the user of this checkout calls the command and names the example, from the working directory. */
function userWords() {
  const fromHere = (path) => {
    const way = relative(process.cwd(), join(ROOT, path));
    return way.includes("/") ? way : `./${way}`;
  };
  return { CAIRN_COMMAND: fromHere("cairn"), CAIRN_EXAMPLE: fromHere("examples/submit-proof.json") };
}

/** Runs the command as a child, or in place of this process where Node.js can; signals and exit codes are the command's own. */
function run(node, args, env) {
  if (typeof process.execve === "function") process.execve(node, [node, ...args], env);
  const child = spawn(node, args, { stdio: "inherit", env });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? 128 + (constants.signals[signal] ?? 0);
  });
}

try {
  main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof Failure)) throw error;
  process.stderr.write(`cairn: ${error.message}\n`);
  process.exitCode = 1;
}
