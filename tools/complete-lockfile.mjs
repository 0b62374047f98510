/**
 * Completes package-lock.json after a change of dependencies. A registry that lacks some platforms' optional packages
 * makes npm leave them out of the lock, and `npm ci` then refuses the lock everywhere. This adds the missing entries
 * from what the locked packages name, so that they are skipped where they do not fit and found where they do.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./setup/places.mjs";

const FILE = join(ROOT, "package-lock.json");
const CPUS = {
  amd64: "x64",
  x64: "x64",
  arm64: "arm64",
  arm: "arm",
  ia32: "ia32",
  ppc64: "ppc64",
  riscv64: "riscv64",
  s390x: "s390x",
};
const SYSTEMS = ["android", "darwin", "freebsd", "linux", "openharmony", "win32"];

/** Names of optional packages that no entry of the lock holds, with the version wanted. */
export function missingOptionals(lock) {
  const missing = new Map();
  for (const entry of Object.values(lock.packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      if (!Object.keys(lock.packages).some((path) => path.endsWith(`node_modules/${name}`))) {
        missing.set(name, { version, dev: entry.dev });
      }
    }
  }
  return missing;
}

/** The platform a package is for, as its name says (`…-linux-x64-musl`); undefined when it says none. */
function platformOf(name) {
  const words = name.split(/[-/]/);
  const os = SYSTEMS.find((system) => words.includes(system));
  const cpu = words.map((word) => CPUS[word]).find((found) => found !== undefined);
  if (os === undefined || cpu === undefined) return undefined;
  const musl = words.some((word) => word.startsWith("musl"));
  return { cpu: [cpu], os: [os], ...(os === "linux" && { libc: [musl ? "musl" : "glibc"] }) };
}

if (import.meta.url === `file://${process.argv[1]}`) {
  const lock = JSON.parse(readFileSync(FILE, "utf8"));
  for (const [name, { version, dev }] of missingOptionals(lock)) {
    const platform = platformOf(name);
    if (platform === undefined) throw new Error(`cannot tell the platform of ${name}`);
    lock.packages[`node_modules/${name}`] = { version, ...(dev && { dev }), optional: true, ...platform };
    console.log(`added ${name}@${version}`);
  }
  const sorted = Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(FILE, `${JSON.stringify({ ...lock, packages: Object.fromEntries(sorted) }, null, 2)}\n`);
}
