/** A reader of the output that leaves early, as `| head` does. */
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
