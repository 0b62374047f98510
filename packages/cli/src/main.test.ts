/** What the process says when the system refuses: output that nobody reads any more, a home that cannot be made. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("./main.ts", import.meta.url));

test("a pipe that closes early ends the command without a word", async () => {
  const flags = ["--conditions=cairn-source", "--disable-warning=ExperimentalWarning", MAIN, "service", "--help"];
  const child = spawn(process.execPath, flags, { stdio: ["ignore", "pipe", "pipe"] });
  child.stdout.destroy();
  let said = "";
  child.stderr.on("data", (part: Buffer) => (said += part));
  const [code] = await once(child, "close");
  assert.deepEqual([code, said], [0, ""]);
});

test("what the system refuses is told once, in its words, without a stack", async () => {
  const args = ["service", "init", "--home", MAIN];
  const flags = ["--conditions=cairn-source", "--disable-warning=ExperimentalWarning", MAIN, ...args];
  const child = spawn(process.execPath, flags, { stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.on("data", (part: Buffer) => (said += part));
  const [code] = await once(child, "close");
  assert.equal(code, 1);
  assert.match(said, /^cairn: not a directory, \w+ '.*' \(ENOTDIR\)\n$/);
});
