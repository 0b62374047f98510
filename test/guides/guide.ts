/**
 * Runs a guide as a reader would: its `sh` blocks, in order, in one shell and one directory. `console` and other blocks
 * are only read. Owns no expectation: a command that fails ends the guide with what it printed.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { ROOT } from "../../tools/stages.ts";

/** The text of a guide in `docs/guides`. */
export function readGuide(name: string): string {
  return readFileSync(join(ROOT, "docs/guides", name), "utf8");
}

/** The blocks of a language, in order. */
export function blocksOf(guide: string, language: string): readonly string[] {
  const fences = guide.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm);
  return [...fences].flatMap(([, name, text = ""]) => (name === language ? [text] : []));
}

/** A directory that looks like a checkout to a reader's commands: `./cairn`, `examples`. */
export function readersDirectory(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), "cairn-guide-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const main = join(ROOT, "packages/cli/src/main.ts");
  const flags = "--conditions=cairn-source --disable-warning=ExperimentalWarning";
  writeFileSync(join(dir, "cairn"), `#!/bin/sh\nexec '${process.execPath}' ${flags} '${main}' "$@"\n`);
  chmodSync(join(dir, "cairn"), 0o755);
  symlinkSync(join(ROOT, "examples"), join(dir, "examples"));
  return dir;
}

/** What a guide printed. Throws with the output when a command failed. */
export function runGuide(o: {
  readonly guide: string;
  readonly dir: string;
  readonly env: Readonly<Record<string, string>>;
  /** Shell text before the first block. */
  readonly prelude?: string;
}): string {
  const script = ["set -eu", o.prelude ?? "", ...blocksOf(o.guide, "sh")].join("\n");
  const env = { ...process.env, ...o.env };
  const { status, stdout, stderr } = spawnSync("bash", ["-c", script], {
    cwd: o.dir,
    env,
    encoding: "utf8",
    timeout: 120_000,
  });
  if (status !== 0) throw new Error(`the guide ended with ${status}:\n${stdout}\n${stderr}`);
  return stdout;
}
