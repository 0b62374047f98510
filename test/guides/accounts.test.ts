/** The operator's guide to keys and access, word for word against a sandbox. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { startSandbox } from "../e2e/cairn-process.ts";
import { readersDirectory, readGuide, runGuide } from "./guide.ts";

test("keys and access", { timeout: 180_000 }, async (t) => {
  const sandbox = await startSandbox();
  t.after(() => sandbox.stop());
  const dir = readersDirectory(t);
  const read = "console.log(JSON.parse(fs.readFileSync(process.argv[1]))[process.argv[2]])";
  const prelude = `value() { '${process.execPath}' -e '${read}' "$1" "$2"; }`;
  const env = { CAIRN_HOME: sandbox.home, CAIRN_URL: sandbox.ready.service_url };
  const printed = runGuide({ guide: readGuide("keys-and-access.md"), dir, env, prelude });
  assert.match(printed, /^acme +active +10000\/day standard 30d +600\/min burst 100 +- +eip155:59144=linea$/m);
  assert.match(printed, /^0x[0-9a-f]{64}$/m, "the claimed key submits");
  assert.match(printed, /"chain_id":"eip155:59144","submissions":1/);
  assert.match(printed, /suspended acme, revoked \d keys/);
  assert.match(printed, /^intact: \d+ entries, newest hash 0x[0-9a-f]{64}$/m);
  const { key } = JSON.parse(readFileSync(join(dir, "claimed.json"), "utf8"));
  const answer = await fetch(`${sandbox.ready.service_url}/status`, { headers: { authorization: `Bearer ${key}` } });
  assert.equal(answer.status, 401);
});
