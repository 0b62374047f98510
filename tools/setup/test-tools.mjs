/**
 * What only the tests use: outside implementations that check ours. Each is optional: without Go or Python the suites
 * that need it say that they were skipped and why.
 */
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { CACHE } from "./places.mjs";
import { execute, Failure, probe, step } from "./step.mjs";

const GO_TOOLS = [
  { variable: "CAIRN_COMETBFT", name: "cometbft", source: "github.com/cometbft/cometbft/cmd/cometbft@v0.38.25" },
  { variable: "CAIRN_BTCD", name: "btcd", source: "github.com/btcsuite/btcd@v0.26.0" },
];
const OTS_CLIENT = "opentimestamps-client==0.7.2";

/** Environment variables naming the tools that are here. */
export function ensureTestTools() {
  const tools = {};
  for (const tool of GO_TOOLS) assign(tools, tool.variable, () => goTool(tool));
  assign(tools, "CAIRN_OTS", otsClient);
  return tools;
}

function assign(tools, variable, bring) {
  try {
    tools[variable] = process.env[variable] ?? bring();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    process.stderr.write(
      `cairn: ${variable} stays unset, its tests will be skipped: ${error.message.split("\n")[0]}\n`,
    );
  }
}

function goTool({ name, source }) {
  const dir = join(CACHE, "go", source.split("@")[1]);
  const binary = join(dir, name);
  if (existsSync(binary)) return binary;
  if (probe("go", ["version"]) === undefined) throw new Failure("Go is not installed");
  step(`installing ${name} with the Go toolchain`, () => {
    execute("go", ["install", source], { env: { ...process.env, GOBIN: dir, CGO_ENABLED: "0" } });
  });
  return binary;
}

function otsClient() {
  const dir = join(CACHE, "ots-0.7.2");
  const binary = join(dir, "bin/ots");
  if (existsSync(binary)) return binary;
  if (probe("python3", ["--version"]) === undefined) throw new Failure("Python is not installed");
  step("installing the OpenTimestamps client with pip", () => {
    mkdirSync(dir, { recursive: true });
    try {
      execute("python3", ["-m", "venv", dir]);
      execute(join(dir, "bin/pip"), ["install", "--quiet", OTS_CLIENT]);
    } catch (error) {
      rmSync(dir, { recursive: true, force: true });
      throw error;
    }
  });
  return binary;
}
