import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { validateReaderConfig } from "./config/config.ts";
import { startReader } from "./reader.ts";
import { startChainServer } from "./testing/chain-server.ts";
import { startDoorServer } from "./testing/door-server.ts";
import { until } from "./testing/until.ts";

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

test("a reload adds, removes and changes entries; what cannot be used changes nothing", async (t) => {
  const chain = await startChainServer();
  const door = await startDoorServer();
  const dir = mkdtempSync(join(tmpdir(), "reader-"));
  const entry = (name: string, options: object = {}) => [
    "rpc",
    name,
    31337,
    chain.url,
    "eth_getBlockByNumber",
    "",
    null,
    { poll_ms: 50, start: 0, submit: name, ...options },
  ];
  const list = (...entries: readonly unknown[]) =>
    validateReaderConfig({
      service_url: door.url,
      service_token: "t",
      block_numbers_dir: join(dir, "block_numbers"),
      block_fetch_params: entries,
    });
  const config = list(entry("dev"));
  const reader = await startReader({ config, mode: "LOOP", stateDir: join(dir, "state"), log: SILENT });
  t.after(async () => {
    await reader.close();
    await Promise.all([chain.close(), door.close()]);
    rmSync(dir, { recursive: true, force: true });
  });
  await until("block 0", () => door.taken.size === 1);
  assert.deepEqual(await reader.reload(list(entry("a"), entry("b"))), {
    added: ["a", "b"],
    removed: ["dev"],
    changed: [],
  });
  const adapter = ["sdk", "c", 1, chain.url, "any", "", null, { module: "./nowhere.mjs" }];
  await assert.rejects(reader.reload(list(entry("a"), adapter)), /no module/);
  assert.deepEqual(
    reader.status().map((status) => status.chain),
    ["a", "b"],
  );
  const changed = await reader.reload(list(entry("a"), entry("b", { every: 2 })));
  assert.deepEqual(changed, { added: [], removed: [], changed: ["b"] });
});
