/** A reorganisation deeper than the ring: the entry stops and says so; an operator decides. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { validateReaderConfig } from "./config/config.ts";
import { RING_LENGTH } from "./state/ring.ts";
import { readerScene } from "./testing/reader-scene.ts";
import { until } from "./testing/until.ts";

test("deeper than the ring: stopped, others go on, also after a restart; a lower cursor and a reload follow the fork", async (t) => {
  const s = await readerScene(t);
  const other = await s.another();
  s.chain.extend(RING_LENGTH + 20);
  other.extend(1);
  const [kind, , ...rest] = s.entry({}, other.url);
  const entries = [s.entry(), [kind, "other", ...rest]];
  const first = await s.start("BOTH", entries);
  const head = BigInt(RING_LENGTH + 20);
  await until("the head", () => first.status()[0]?.cursor === head, 60_000);
  const before = s.door.taken.size;
  s.chain.reorg(10);
  await until("stopped", () => first.status()[0]?.stopped !== undefined, 60_000);
  assert.match(first.status()[0]?.stopped ?? "", /deeper than the 256 blocks kept: check the endpoint; .* send SIGHUP/);
  assert.equal(first.status()[0]?.cursor, head, "the cursor stays");
  assert.equal((await fetch(`${first.url}/healthz`)).status, 503);
  other.extend(1);
  await until("the other one", () => first.status()[1]?.cursor === 2n);
  await first.close();
  const again = await s.start("LOOP", entries);
  await until("stopped again", () => again.status()[0]?.stopped !== undefined, 60_000);
  assert.equal(s.door.taken.size, before + 1, "nothing of the fork was submitted");
  writeFileSync(join(s.dir, "block_numbers/dev-block.txt"), "10\n");
  const config = { service_url: s.door.url, service_token: "t", block_fetch_params: entries };
  assert.deepEqual((await again.reload(validateReaderConfig(config))).changed, ["dev"]);
  await until("the new fork", () => again.status()[0]?.cursor === head + 1n, 60_000);
  assert.equal(again.status()[0]?.stopped, undefined);
  const hashes = new Set([...s.door.taken.values()].map((taken) => JSON.parse(taken.proof_data).proof));
  assert.ok(
    s.chain.hashes().every((hash) => hashes.has(hash)),
    "all of the new fork was taken",
  );
});

test("as deep as the ring reaches it is followed", async (t) => {
  const s = await readerScene(t);
  s.chain.extend(RING_LENGTH + 20);
  const reader = await s.start("LOOP");
  await until("the head", () => reader.status()[0]?.cursor === BigInt(RING_LENGTH + 20), 60_000);
  s.chain.reorg(22);
  await until("the new head", () => reader.status()[0]?.cursor === BigInt(RING_LENGTH + 21), 60_000);
  assert.equal(reader.status()[0]?.stopped, undefined);
  const replaced = [...s.door.taken.values()].filter((taken) => taken.reorg_of !== undefined);
  assert.equal(replaced.length, RING_LENGTH + 20 - 22);
});

test("a fork that comes back replaces nothing again, and its blocks are no longer replaced", async (t) => {
  const s = await readerScene(t);
  s.chain.extend(5);
  const reader = await s.start("LOOP");
  await until("the head", () => reader.status()[0]?.cursor === 5n);
  const original = s.chain.snapshot();
  s.chain.reorg(3);
  await until("the fork", () => reader.status()[0]?.cursor === 6n);
  s.chain.restore(original);
  s.chain.extend(3);
  await until("the first fork again", () => reader.status()[0]?.cursor === 8n);
  const taken = [...s.door.taken.values()];
  assert.equal(taken.length, 6 + 3 + 3, "what came back has its old ids");
  const last = taken.slice(-3);
  const ids = [...s.door.taken.keys()];
  // Height 6 of the fork that lost was never replaced before: its successor names it. 7 and 8 are new.
  assert.deepEqual(
    last.map(({ block_number, reorg_of }) => [block_number, reorg_of]),
    [
      ["6", ids[8]],
      ["7", undefined],
      ["8", undefined],
    ],
  );
});
