/**
 * What only the tests use: outside implementations that check ours. Each is optional: without Go or Python the suites
 * that need it say that they were skipped and why.
 */
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CACHE, ROOT } from "./places.mjs";
import { execute, Failure, hashTree, probe, step } from "./step.mjs";

const GO_TOOLS = [
  // With cgo, as its makers build it: without, its signatures and hashes are slower.
  { variable: "CAIRN_GETH", name: "geth", source: "github.com/ethereum/go-ethereum/cmd/geth@v1.17.5", cgo: true },
  { variable: "CAIRN_COMETBFT", name: "cometbft", source: "github.com/cometbft/cometbft/cmd/cometbft@v0.38.25" },
  { variable: "CAIRN_BTCD", name: "btcd", source: "github.com/btcsuite/btcd@v0.26.0" },
];
const PYTHON_TOOLS = [
  { variable: "CAIRN_OTS", dir: "ots-0.7.2", binary: "bin/ots", requirement: "opentimestamps-client==0.7.2" },
  {
    variable: "CAIRN_SCHEMATHESIS",
    dir: "schemathesis-4.32.5",
    binary: "bin/st",
    requirement: "schemathesis==4.32.5",
  },
  { variable: "CAIRN_WEB3PY", dir: "web3py-7.16.0", binary: "bin/python", requirement: "web3==7.16.0" },
];
const CHROMIUM = "@sparticuz/chromium@153.0.0";

/** Environment variables naming the tools that are here. */
export function ensureTestTools() {
  const tools = {};
  for (const tool of GO_TOOLS) assign(tools, tool.variable, () => goTool(tool));
  for (const tool of PYTHON_TOOLS) assign(tools, tool.variable, () => pythonTool(tool));
  assign(tools, "CAIRN_ETHCLIENT_SUITE", ethclientSuite);
  assign(tools, "CAIRN_CHROMIUM", chromium);
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

function goTool({ name, source, cgo = false }) {
  const dir = join(CACHE, "go", source.split("@")[1]);
  const binary = join(dir, name);
  if (existsSync(binary)) return binary;
  if (probe("go", ["version"]) === undefined) throw new Failure("Go is not installed");
  step(`installing ${name} with the Go toolchain`, () => {
    execute("go", ["install", source], { env: { ...process.env, GOBIN: dir, CGO_ENABLED: cgo ? "1" : "0" } });
  });
  return binary;
}

/** The test program around go-ethereum's ethclient, built from this checkout; a change of its sources builds it again. */
function ethclientSuite() {
  const source = join(ROOT, "test/clients/go");
  const binary = join(CACHE, "go", `ethclient-suite-${hashTree(source, () => true).slice(0, 16)}`);
  if (existsSync(binary)) return binary;
  if (probe("go", ["version"]) === undefined) throw new Failure("Go is not installed");
  step("building the test program around go-ethereum's ethclient", () => {
    const env = { ...process.env, CGO_ENABLED: "0" };
    execute("go", ["build", "-trimpath", "-o", binary, "."], { cwd: source, env });
  });
  return binary;
}

function pythonTool({ dir: name, binary: path, requirement }) {
  const dir = join(CACHE, name);
  const binary = join(dir, path);
  // The requirement is there when its marker is: an interrupted installation starts over.
  const marker = join(dir, "complete");
  if (existsSync(binary) && existsSync(marker)) return binary;
  if (probe("python3", ["--version"]) === undefined) throw new Failure("Python is not installed");
  step(`installing ${requirement} with pip`, () => {
    rmSync(dir, { recursive: true, force: true });
    mkdirSync(dir, { recursive: true });
    execute("python3", ["-m", "venv", dir]);
    execute(join(dir, "bin/pip"), ["install", "--quiet", requirement]);
    writeFileSync(marker, "");
  });
  return binary;
}

/** A browser for the tests of web pages, from its npm package, whose archive holds the program. */
function chromium() {
  if (process.platform !== "linux" || process.arch !== "x64")
    throw new Failure("the browser's package is for Linux on x64");
  const dir = join(CACHE, CHROMIUM.replaceAll(/[@/]/g, "-").slice(1));
  const binary = join(dir, "chromium");
  const marker = join(dir, "complete");
  if (existsSync(marker)) return binary;
  step(`installing ${CHROMIUM}`, () => {
    rmSync(dir, { recursive: true, force: true });
    mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, "package.json"), JSON.stringify({ private: true, type: "module" }));
    execute("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", CHROMIUM], { cwd: dir });
    const unpack = 'await (await import("@sparticuz/chromium")).default.executablePath()';
    execute(process.execPath, ["--input-type=module", "-e", unpack], {
      cwd: dir,
      env: { ...process.env, TMPDIR: dir },
    });
    rmSync(join(dir, "node_modules"), { recursive: true, force: true });
    writeFileSync(marker, "");
  });
  return binary;
}
