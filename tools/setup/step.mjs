/** Running a child command as one named, timed step of the set-up. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { CACHE } from "./places.mjs";

/** A set-up that cannot go on; the message says what the user can do. */
export class Failure extends Error {}

/** Prints what is done and, at its end, how long it took. */
export function step(title, work) {
  const started = performance.now();
  process.stderr.write(`cairn: ${title} ...\n`);
  const result = work();
  process.stderr.write(`cairn: ${title}: ${((performance.now() - started) / 1000).toFixed(1)} s\n`);
  return result;
}

/** Runs a program; its output appears only when it fails. */
export function execute(program, args, options = {}) {
  const result = spawnSync(program, args, { encoding: "utf8", maxBuffer: 1 << 28, ...options });
  if (result.error?.code === "ENOENT") throw new Failure(`${program} was not found`);
  if (result.status !== 0) {
    const tail = `${result.stdout ?? ""}${result.stderr ?? ""}`.trim().split("\n").slice(-40).join("\n");
    throw new Failure(`${program} ${args[0] ?? ""} failed:\n${tail}`);
  }
  return result.stdout;
}

/** First line of a program's answer, or undefined when it is not installed. */
export function probe(program, args) {
  const result = spawnSync(program, args, { encoding: "utf8" });
  return result.status === 0 ? result.stdout.trim().split("\n")[0] : undefined;
}

/** Compares dotted versions; true when `have` is at least `want`. */
export function atLeast(have, want) {
  const [a, b] = [have, want].map((text) => text.split(".").map(Number));
  for (let i = 0; i < b.length; i += 1) if ((a[i] ?? 0) !== b[i]) return (a[i] ?? 0) > b[i];
  return true;
}

/** SHA-256 over the names and contents of files below `dir` that pass `keep`, in order. */
export function hashTree(dir, keep) {
  const hash = createHash("sha256");
  const walk = (folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) walk(path);
      else if (keep(path))
        hash
          .update(`${relative(dir, path)}\0`)
          .update(readFileSync(path))
          .update("\0");
    }
  };
  walk(dir);
  return hash.digest("hex");
}

/** A fresh scratch folder in the cache (same file system as the cache, so results can be renamed into place). */
export function scratch(name) {
  const dir = join(CACHE, "tmp", `${name}-${process.pid}`);
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true });
  return dir;
}
