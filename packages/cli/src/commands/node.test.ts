/** `cairn init` and `cairn start` as programs call them: JSON on standard output. */
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const FLAGS = ["--conditions=cairn-source", "--disable-warning=ExperimentalWarning"];
const MAIN = fileURLToPath(new URL("../main.ts", import.meta.url));
const FREE = [
  "--json-rpc.address",
  "127.0.0.1:0",
  "--json-rpc.ws-address",
  "127.0.0.1:0",
  "--rpc.laddr",
  "tcp://127.0.0.1:0",
];

test("a home is made, a node of it says where it listens, and ends on SIGTERM", { timeout: 60_000 }, async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "cairn-cli-node-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const made = execFileSync(process.execPath, [...FLAGS, MAIN, "init", "--home", dir, "--json"], { encoding: "utf8" });
  assert.equal(JSON.parse(made).genesis, join(dir, "config/genesis.json"));
  const args = ["start", "--home", dir, "--json", "--log-level", "silent", ...FREE];
  const node = spawn(process.execPath, [...FLAGS, MAIN, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(node, "close");
  t.after(() => node.kill("SIGKILL"));
  const [line] = await once(createInterface(node.stdout), "line");
  const { json_rpc_url: url, consensus_rpc_url: consensus } = JSON.parse(String(line));
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_chainId", params: [] });
  const reply = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
  assert.equal(JSON.parse(await reply.text()).result, "0x578bb");
  assert.equal((await fetch(`${consensus}/health`)).status, 200);
  node.kill("SIGTERM");
  const [code] = await ended;
  assert.equal(code, 0);
});
