import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { parseReaderConfig, validateReaderConfig } from "./config/config.ts";
import { startReader } from "./reader.ts";
import { startChainServer } from "./testing/chain-server.ts";
import { startDoorServer } from "./testing/door-server.ts";
import { readerScene } from "./testing/reader-scene.ts";
import { until } from "./testing/until.ts";
import { watchConfig } from "./watch-config.ts";

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
  await reader.reload(list(entry("z"), entry("a", { every: 3 }), entry("b", { every: 2 })));
  assert.deepEqual(
    reader.status().map((status) => status.chain),
    ["z", "a", "b"],
    "in the list's order: a push without a chain means the first",
  );
});

test("an entry that stopped begins again with a reload, once its cause is mended", async (t) => {
  const s = await readerScene(t);
  const file = join(s.dir, "block_numbers", "dev-block.txt");
  mkdirSync(join(s.dir, "block_numbers"));
  writeFileSync(file, "12 monkeys");
  const reader = await s.start("LOOP");
  await until("stopped", () => reader.status()[0]?.stopped !== undefined);
  assert.match(reader.status()[0]?.stopped ?? "", /mend or remove it, then send SIGHUP$/);
  rmSync(file);
  const config = { service_url: s.door.url, service_token: "t", block_fetch_params: [s.entry()] };
  assert.deepEqual((await reader.reload(validateReaderConfig(config))).changed, ["dev"]);
  await until("block 0", () => s.door.taken.size === 1);
});

test("a file that cannot be used: the line is logged, and no token with it", async (t) => {
  const s = await readerScene(t);
  const file = join(s.dir, "reader.toml");
  const write = (entry: string) =>
    writeFileSync(
      file,
      `service_url = "${s.door.url}"\nservice_token = "very-secret"\nblock_fetch_params = [\n${entry}\n]\n`,
    );
  write('["rpc", "a", 1, "http://127.0.0.1:1", "eth_getBlockByNumber", ""],');
  const load = () => parseReaderConfig(readFileSync(file, "utf8"));
  const lines: string[] = [];
  const note = (fields: object) => void lines.push(JSON.stringify(fields));
  const log = { debug() {}, info: note, warn: note, error: note };
  const reader = await s.start("LOOP");
  const watch = watchConfig({ file, load, running: load(), reader, log, pollMs: 20 });
  t.after(() => watch.close());
  write('["rpc", "a", 1, "http://127.0.0.1:1", "eth_getBlockByNumber", ""],\n["rpc", "b" 1],');
  await until("the line of the fault", () => lines.some((line) => line.includes("(line 5): not valid TOML")));
  write(
    '["rpc", "a", 1, "http://127.0.0.1:1", "eth_getBlockByNumber", ""],\n\n["rpc", "b", 0, "http://b", "block", ""],',
  );
  await until("the entry's line", () => lines.some((line) => line.includes("[1].chain id (line 6): expected")));
  assert.deepEqual(
    reader.status().map(({ chain }) => chain),
    ["dev"],
    "the list in use stays",
  );
  assert.ok(!lines.join().includes("very-secret"));
});
