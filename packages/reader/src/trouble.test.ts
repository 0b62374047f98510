/** Trouble of the reader's own: dead letters without end, files that cannot be written. */
import assert from "node:assert/strict";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { MAX_OPEN_LETTERS } from "./state/dead-letters.ts";
import { readerScene } from "./testing/reader-scene.ts";
import { until } from "./testing/until.ts";

test("dead letters beyond the bound stop the entry, and nothing is passed over", async (t) => {
  const s = await readerScene(t);
  const reader = await s.start("LOOP");
  await until("block 0", () => reader.status()[0]?.cursor === 0n);
  const db = new DatabaseSync(join(s.dir, "state/reader.db"));
  db.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${MAX_OPEN_LETTERS})
    INSERT INTO dead_letter (chain, height, hash, code, at_ms) SELECT 'dev', i + 1000, '', 'old', 0 FROM n`);
  db.close();
  s.door.refuse = 422;
  s.chain.extend(1);
  await until("stopped", () => reader.status()[0]?.stopped !== undefined);
  assert.match(reader.status()[0]?.stopped ?? "", /^100000 dead letters wait: cairn reader audit/);
  assert.equal(reader.status()[0]?.cursor, 0n);
});

test("files that cannot be written: the status tells the code and no path, the log has it; all goes on afterwards", async (t) => {
  const s = await readerScene(t);
  const numbers = join(s.dir, "block_numbers");
  const reader = await s.start("BOTH");
  await until("block 0", () => reader.status()[0]?.cursor === 0n);
  renameSync(numbers, `${numbers}-aside`);
  writeFileSync(numbers, "");
  s.chain.extend(1);
  await until("an error", () => (reader.status()[0]?.errors ?? 0) > 0);
  const status = await (await fetch(`${reader.url}/status`)).text();
  assert.match(status, /the reader's files cannot be read or written \(E[A-Z]+\); the log has more/);
  assert.ok(!status.includes(s.dir));
  assert.ok(s.log.some(({ fields }) => String(fields.reason).includes(s.dir)));
  rmSync(numbers);
  renameSync(`${numbers}-aside`, numbers);
  await until("block 1", () => reader.status()[0]?.cursor === 1n);
  assert.equal(s.door.taken.size, 2);
});
