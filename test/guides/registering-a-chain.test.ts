/** The guide for those who register a chain, word for word against a sandbox. */
import assert from "node:assert/strict";
import { dirname } from "node:path";
import { after, before, test } from "node:test";
import { type SandboxProcess, startSandbox } from "../e2e/cairn-process.ts";
import { readersDirectory, readGuide, runGuide } from "./guide.ts";

let sandbox: SandboxProcess;
before(async () => {
  sandbox = await startSandbox();
});
after(() => sandbox.stop());

test("registering a chain", (t) => {
  const dir = readersDirectory(t);
  const guide = readGuide("registering-a-chain.md");
  const env = { CAIRN_HOME: sandbox.home, PATH: `${dirname(process.execPath)}:${process.env.PATH}` };
  // A reader that a failing command leaves behind ends with the shell.
  const prelude = `trap 'kill $(jobs -p) 2>/dev/null || true' EXIT`;
  const printed = runGuide({ guide, dir, env, prelude });
  assert.match(printed, /^mychain +127\.0\.0\.1:\d+ +\d+ +\d+ +0x[0-9a-f]{10}…[0-9a-f]{6} +0 +\d+ +ok$/m);
  assert.match(printed, /^myrollup \(contract\) .* ok$/m);
  assert.match(printed, /^0x[0-9a-f]{64}$/m);
  assert.match(printed, /^blocks 1 to 4: \d submitted, \d known before, 0 dead letters$/m);
  assert.match(printed, /^no dead letters$/m);
});
