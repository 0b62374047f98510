/** Results as JSON lines with what they were measured on. */
import { execFileSync } from "node:child_process";
import { appendFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { ROOT } from "../tools/stages.ts";

const FILE = join(ROOT, "bench/results.jsonl");

const machine = {
  cpu: cpus()[0]?.model ?? "unknown",
  cores: cpus().length,
  memory_gib: Math.round(totalmem() / 2 ** 30),
  node: process.versions.node,
};

function commit(): string {
  const dirty = execFileSync("git", ["status", "--porcelain", "--", "packages", "native"], { cwd: ROOT }).length > 0;
  const hash = execFileSync("git", ["rev-parse", "--short=12", "HEAD"], { cwd: ROOT }).toString().trim();
  return dirty ? `${hash}+` : hash;
}

/** Appends one measurement to bench/results.jsonl and prints it. */
export function record(name: string, figures: object): void {
  const line = { bench: name, at: new Date().toISOString(), commit: commit(), ...figures, machine };
  appendFileSync(FILE, `${JSON.stringify(line)}\n`);
  console.log(`${name}: ${JSON.stringify(figures)}`);
}
