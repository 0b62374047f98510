/** Several endpoints of which one lies: which is believed, and how an operator hears of it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type ReaderScene, readerScene } from "./testing/reader-scene.ts";
import { until } from "./testing/until.ts";

const hashesOf = (s: ReaderScene) => [...s.door.taken.values()].map((taken) => JSON.parse(taken.proof_data).proof);

test("a liar that invents blocks above the others' head is not believed, and holds nothing up", async (t) => {
  const s = await readerScene(t);
  const liar = await s.another();
  const honest = await s.another();
  s.chain.extend(3);
  honest.extend(3);
  liar.extend(50);
  const reader = await s.start("LOOP", [s.entry({ endpoints: [s.chain.url, honest.url] }, liar.url)]);
  await until("the head", () => reader.status()[0]?.cursor === 3n);
  assert.equal(reader.status()[0]?.head, 3n);
  assert.deepEqual(hashesOf(s), s.chain.hashes());
});

test("a block that only one endpoint has waits for a second one to have it", async (t) => {
  const s = await readerScene(t);
  const behind = await s.another();
  s.chain.extend(5);
  behind.extend(2);
  const reader = await s.start("LOOP", [s.entry({ endpoints: [behind.url] })]);
  await until("two blocks more", () => reader.status()[0]?.cursor === 2n);
  behind.extend(3);
  await until("all", () => reader.status()[0]?.cursor === 5n);
  assert.equal(reader.status()[0]?.errors, 0);
});

test("a false claim of the newest height, by one of two, changes nothing", async (t) => {
  const s = await readerScene(t);
  const other = await s.another();
  s.chain.extend(2);
  other.extend(2);
  s.chain.claims = Number.MAX_SAFE_INTEGER;
  const reader = await s.start("LOOP", [s.entry({ endpoints: [other.url], start: "head" })]);
  await until("the head", () => reader.status()[0]?.cursor === 2n);
  assert.equal(reader.status()[0]?.head, 2n);
});

test("who is outvoted is logged, stands in the status and in the metrics; the log does not fill up", async (t) => {
  const s = await readerScene(t);
  const liar = await s.another();
  const third = await s.another();
  for (const chain of [s.chain, liar, third]) chain.extend(40);
  liar.mutate = (block) => ({ ...block, hash: `0x${"66".repeat(32)}` });
  const options = { hash_check: false, endpoints: [s.chain.url, third.url], start: 1, genesis: s.chain.hashes()[0] };
  liar.mutate = (block) => (block.number === "0x0" ? block : { ...block, hash: `0x${"66".repeat(32)}` });
  const reader = await s.start("BOTH", [s.entry(options, liar.url)]);
  await until("the head", () => reader.status()[0]?.cursor === 40n);
  assert.deepEqual(hashesOf(s), s.chain.hashes().slice(1));
  const host = new URL(liar.url).host;
  const times = reader.status()[0]?.dissents.get(host) ?? 0;
  assert.ok(times >= 20, `${times}`);
  const lines = s.log.filter(({ message }) => message.startsWith("an endpoint contradicts"));
  assert.ok(lines.length >= 1 && lines.length <= 7, `${lines.length}`);
  assert.equal(lines[0]?.fields.endpoint, host);
  const metrics = await (await fetch(`${reader.url}/metrics`)).text();
  assert.match(metrics, new RegExp(`cairn_reader_endpoint_dissents_total\\{[^}]*endpoint="${host}"\\} \\d+\\n`));
  const status = (await (await fetch(`${reader.url}/status`)).json()) as { entries: { endpoint_dissents: object }[] };
  assert.deepEqual(Object.keys(status.entries[0]?.endpoint_dissents ?? {}), [host]);
});

test("an endpoint of another chain serves nothing, not even when it is the only one left", async (t) => {
  const s = await readerScene(t);
  const other = await s.another(1);
  other.extend(9);
  s.chain.extend(2);
  const reader = await s.start("LOOP", [s.entry({ endpoints: [s.chain.url] }, other.url)]);
  await until("the head", () => reader.status()[0]?.cursor === 2n);
  s.chain.failing = true;
  await until("an error", () => (reader.status()[0]?.errors ?? 0) > 0);
  assert.equal(reader.status()[0]?.cursor, 2n);
  s.chain.failing = false;
  s.chain.extend(1);
  await until("it goes on", () => reader.status()[0]?.cursor === 3n);
  assert.deepEqual(hashesOf(s), s.chain.hashes());
  assert.ok(!other.asked.includes("eth_blockNumber"), "it was asked who it is, and no more");
});

test("when every endpoint serves another chain the entry stops and says which", async (t) => {
  const s = await readerScene(t);
  const [a, b] = [await s.another(1), await s.another(5)];
  const reader = await s.start("LOOP", [s.entry({ endpoints: [b.url] }, a.url)]);
  await until("stopped", () => reader.status()[0]?.stopped !== undefined);
  assert.match(
    reader.status()[0]?.stopped ?? "",
    /127\.0\.0\.1:\d+ serves another chain: chain id 5 in place of 31337/,
  );
});
