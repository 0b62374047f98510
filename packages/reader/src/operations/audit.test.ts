import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { validateReaderConfig } from "../config/config.ts";
import { readerScene } from "../testing/reader-scene.ts";
import { until } from "../testing/until.ts";
import { openAudit } from "./audit.ts";

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

test("what was replayed is not submitted again, and a block that replaces it names it", async (t) => {
  const s = await readerScene(t);
  s.chain.extend(3);
  s.door.refuse = 422;
  const reader = await s.start("LOOP");
  await until("past all", () => reader.status()[0]?.cursor === 3n);
  s.door.refuse = undefined;
  const config = () =>
    validateReaderConfig({ service_url: s.door.url, service_token: "t", block_fetch_params: [s.entry()] });
  const openAdapter = () => assert.fail("no adapter is needed");
  const audit = openAudit({ stateDir: join(s.dir, "state"), config, openAdapter, log: SILENT });
  t.after(() => audit.close());
  const letters = [...audit.letters({ all: false })];
  assert.equal(letters.length, 4);
  for (const { id } of letters) assert.equal((await audit.replay(id, AbortSignal.timeout(10_000))).ok, true);
  assert.deepEqual([...audit.letters({ all: false })], []);
  const ids = [...s.door.taken.keys()];
  s.chain.reorg(1);
  await until("the new fork", () => reader.status()[0]?.cursor === 4n);
  const replaced = [...s.door.taken.values()].slice(4).map(({ block_number, reorg_of }) => [block_number, reorg_of]);
  assert.deepEqual(replaced, [
    ["2", ids[2]],
    ["3", ids[3]],
    ["4", undefined],
  ]);
});
