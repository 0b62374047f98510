import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { lockDirectory } from "./directory-lock.ts";

function place(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), "reader-lock-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

test("a second one is refused by name, and takes over when the first is released", async (t) => {
  const dir = place(t);
  const first = await lockDirectory(dir, "--state-dir");
  await assert.rejects(lockDirectory(dir, "--state-dir"), {
    code: "directory-in-use",
    message: `another reader uses ${dir}: end it, or name another directory with --state-dir`,
  });
  const waiting = lockDirectory(dir, "--state-dir");
  first.release();
  (await waiting).release();
});

test("kill -9 leaves no lock behind", async (t) => {
  const dir = place(t);
  const module = fileURLToPath(new URL("./directory-lock.ts", import.meta.url));
  const script = `import { lockDirectory } from ${JSON.stringify(module)};
    await lockDirectory(process.argv[1], "--x"); console.log("held"); setInterval(() => {}, 1000);`;
  const flags = [
    "--conditions=cairn-source",
    "--disable-warning=ExperimentalWarning",
    "--input-type=module-typescript",
  ];
  const child = spawn(process.execPath, [...flags, "-e", script, dir], { stdio: ["ignore", "pipe", "inherit"] });
  t.after(() => child.kill("SIGKILL"));
  await once(child.stdout, "data");
  await assert.rejects(lockDirectory(dir, "--x"), { code: "directory-in-use" });
  child.kill("SIGKILL");
  await once(child, "close");
  (await lockDirectory(dir, "--x")).release();
});
