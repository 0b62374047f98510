/** A Node.js that runs TypeScript sources: the installed one when it is new enough, else one from the npm registry. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { CACHE } from "./places.mjs";
import { atLeast, execute, Failure, scratch, step } from "./step.mjs";

const MINIMUM = "22.18";
const VERSION = "24.21.0";

/** The platforms npm carries a runtime for, with the pinned hash of the package where we have checked it. */
const PACKAGES = {
  "linux-x64": "sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==",
  "linux-arm64": undefined,
  "darwin-x64": undefined,
  "darwin-arm64": undefined,
};

/** Path of a Node.js binary of at least version 22.18. */
export function ensureRuntime() {
  if (atLeast(process.versions.node, MINIMUM)) return process.execPath;
  const platform = `${process.platform}-${process.arch}`;
  const home = join(CACHE, "runtime", `node-${VERSION}-${platform}`);
  const binary = join(home, "bin/node");
  if (existsSync(binary)) return binary;
  if (!(platform in PACKAGES)) {
    throw new Failure(
      `Node.js ${process.versions.node} is too old and npm has no runtime for ${platform}: install Node.js ${MINIMUM} or newer`,
    );
  }
  step(`bringing Node.js ${VERSION} (installed: ${process.versions.node})`, () => install(platform, home));
  return binary;
}

function install(platform, home) {
  const dir = scratch("runtime");
  execute("npm", ["pack", `node-${platform}@${VERSION}`, "--silent", "--pack-destination", dir], { cwd: dir });
  const archive = join(dir, `node-${platform}-${VERSION}.tgz`);
  const expected = PACKAGES[platform];
  const actual = `sha512-${createHash("sha512").update(readFileSync(archive)).digest("base64")}`;
  if (expected !== undefined && expected !== actual)
    throw new Failure(`the package node-${platform}@${VERSION} is not the one we know`);
  execute("tar", ["xzf", archive, "-C", dir]);
  mkdirSync(dirname(home), { recursive: true });
  rmSync(home, { recursive: true, force: true });
  renameSync(join(dir, "package"), home);
  rmSync(dir, { recursive: true, force: true });
}

/** Path of npm's own script, so that it can run under another Node.js. */
export function npmScript() {
  const fromNpm = process.env.npm_execpath;
  if (fromNpm?.endsWith("npm-cli.js")) return fromNpm;
  for (const dir of (process.env.PATH ?? "").split(delimiter)) {
    const candidate = join(dir, "npm");
    if (!existsSync(candidate)) continue;
    const real = realpathSync(candidate);
    if (real.endsWith(".js")) return real;
  }
  throw new Failure("npm was not found: install Node.js with npm");
}
