/** Two readers with the same list: on one directory the second is refused, on two nothing is submitted as two. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { validateReaderConfig } from "./config/config.ts";
import { startReader } from "./reader.ts";
import { readerScene } from "./testing/reader-scene.ts";
import { until } from "./testing/until.ts";

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

test("the same state, or the same cursors, are refused while a reader runs; afterwards they are free", async (t) => {
  const s = await readerScene(t);
  const first = await s.start("LOOP");
  await assert.rejects(s.start("LOOP"), { code: "directory-in-use" });
  const config = validateReaderConfig({
    service_url: s.door.url,
    service_token: "t",
    block_numbers_dir: join(s.dir, "block_numbers"),
    block_fetch_params: [s.entry()],
  });
  const other = { config, mode: "LOOP", stateDir: join(s.dir, "other-state"), log: SILENT } as const;
  await assert.rejects(startReader(other), { code: "directory-in-use" });
  await first.close();
  const second = await startReader(other);
  await second.close();
});

test("two readers of one list in two places: each item has one id, whoever comes first", async (t) => {
  const s = await readerScene(t);
  s.chain.extend(20);
  await s.start("LOOP");
  const config = validateReaderConfig({
    service_url: s.door.url,
    service_token: "t",
    block_numbers_dir: join(s.dir, "second", "block_numbers"),
    block_fetch_params: [s.entry()],
  });
  const second = await startReader({ config, mode: "LOOP", stateDir: join(s.dir, "second"), log: SILENT });
  t.after(() => second.close());
  await until("both", () => second.status()[0]?.cursor === 20n && s.door.requests.length >= 42);
  assert.equal(s.door.taken.size, 21);
});
