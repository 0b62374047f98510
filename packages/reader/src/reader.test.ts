import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import { type ReaderMode, validateReaderConfig } from "./config/config.ts";
import { type RunningReader, startReader } from "./reader.ts";
import { MAX_WAITING } from "./state/pushes.ts";
import { type ChainServer, startChainServer } from "./testing/chain-server.ts";
import { type DoorServer, startDoorServer, type Taken } from "./testing/door-server.ts";
import { startJsonServer } from "./testing/json-server.ts";
import { until } from "./testing/until.ts";

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };
const open: { close(): Promise<void> }[] = [];
after(async () => {
  for (const resource of open.reverse()) await resource.close();
});

interface Scene {
  readonly chain: ChainServer;
  readonly door: DoorServer;
  readonly dir: string;
  start(mode: ReaderMode, options?: object): Promise<RunningReader>;
}

async function scene(): Promise<Scene> {
  const chain = await startChainServer();
  const door = await startDoorServer();
  open.push(chain, door);
  const dir = mkdtempSync(join(tmpdir(), "reader-"));
  return {
    chain,
    door,
    dir,
    async start(mode, options = {}) {
      const quick = { poll_ms: 50, request_pause_ms: 0, start: 0, ...options };
      const config = validateReaderConfig({
        service_url: door.url,
        service_token: "t",
        address: "127.0.0.1:0",
        block_numbers_dir: join(dir, "block_numbers"),
        block_fetch_params: [["rpc", "dev", 31337, chain.url, "eth_getBlockByNumber", "", null, quick]],
      });
      const reader = await startReader({ config, mode, stateDir: join(dir, "state"), log: SILENT });
      open.push(reader);
      return reader;
    },
  };
}

interface Body {
  readonly id: string;
  readonly code: string;
  readonly chain: string;
  readonly status: string;
  readonly entries: readonly { readonly dead_letters: number }[];
}

async function bodyOf(response: Promise<Response>): Promise<Body> {
  return (await (await response).json()) as Body;
}

function heights(door: DoorServer): readonly string[] {
  return [...door.taken.values()].map((taken) => taken.block_number);
}

function valueIn(taken: Taken | undefined): string {
  return JSON.parse(taken?.proof_data ?? "{}").proof;
}

test("LOOP takes every next block, in order, and writes the cursor", async () => {
  const { chain, door, dir, start } = await scene();
  chain.extend(5);
  await start("LOOP");
  await until("six blocks", () => door.taken.size === 6);
  assert.deepEqual(heights(door), ["0", "1", "2", "3", "4", "5"]);
  assert.deepEqual([...door.taken.values()].map(valueIn), chain.hashes());
  const cursor = join(dir, "block_numbers", "dev-block.txt");
  await until("the cursor", () => readFileSync(cursor, "utf8") === "5\n");
  chain.extend(1);
  await until("the new block", () => door.taken.size === 7);
});

test("a restart continues after the cursor", async () => {
  const { chain, door, start } = await scene();
  chain.extend(3);
  const first = await start("LOOP");
  await until("four blocks", () => door.taken.size === 4);
  await first.close();
  open.splice(open.indexOf(first), 1);
  chain.extend(2);
  await start("LOOP", { start: "head" });
  await until("the two missed ones", () => door.taken.size === 6);
  assert.deepEqual(heights(door).slice(4), ["4", "5"]);
});

test("a reorganisation submits the replaced heights again and names what they replace", async () => {
  const { chain, door, start } = await scene();
  chain.extend(4);
  await start("LOOP");
  await until("five blocks", () => door.taken.size === 5);
  chain.reorg(2);
  await until("the replaced ones", () => door.taken.size === 8);
  const ids = [...door.taken.keys()];
  const replaced = [...door.taken.values()].slice(5);
  assert.deepEqual(
    replaced.map((taken) => [taken.block_number, taken.reorg_of]),
    [
      ["3", ids[3]],
      ["4", ids[4]],
      ["5", undefined],
    ],
  );
});

test("errors are counted and the loop goes on", async () => {
  const { chain, door, start } = await scene();
  chain.failing = true;
  const reader = await start("LOOP");
  await until("an error", () => (reader.status()[0]?.errors ?? 0) > 0);
  chain.failing = false;
  await until("block 0", () => door.taken.size === 1);
});

test("a block whose header does not hash to its hash is never submitted", async () => {
  const { chain, door, start } = await scene();
  chain.mutate = (block) => ({ ...block, gasUsed: "0x1" });
  const reader = await start("LOOP");
  await until("an error", () => (reader.status()[0]?.errors ?? 0) > 0);
  assert.match(reader.status()[0]?.lastError ?? "", /does not hash/);
  assert.equal(door.taken.size, 0);
});

test("another chain behind the URL stops the entry", async () => {
  const { chain } = await scene();
  const reader = await startReader({
    config: validateReaderConfig({
      service_url: "http://127.0.0.1:1",
      service_token: "t",
      block_fetch_params: [["rpc", "dev", 1, chain.url, "eth_getBlockByNumber", ""]],
    }),
    mode: "LOOP",
    stateDir: mkdtempSync(join(tmpdir(), "reader-")),
    log: SILENT,
  });
  open.push(reader);
  await until("stopped", () => reader.status()[0]?.stopped !== undefined);
  assert.match(reader.status()[0]?.stopped ?? "", /chain id 31337/);
});

test("a damaged cursor stops the entry instead of starting over", async () => {
  const { dir, door, start } = await scene();
  const first = await start("LOOP");
  await until("block 0", () => door.taken.size === 1);
  await first.close();
  open.splice(open.indexOf(first), 1);
  // The first reader may have been closed before its cursor was written.
  mkdirSync(join(dir, "block_numbers"), { recursive: true });
  writeFileSync(join(dir, "block_numbers", "dev-block.txt"), "garbage");
  const reader = await start("LOOP");
  await until("stopped", () => reader.status()[0]?.stopped !== undefined);
});

test("a refusal for good becomes a dead letter and the cursor moves on", async () => {
  const { chain, door, start } = await scene();
  door.refuse = 422;
  chain.extend(1);
  const reader = await start("BOTH");
  await until("past both", () => reader.status()[0]?.cursor === 1n);
  const status = await bodyOf(fetch(`${reader.url}/status`));
  assert.equal(status.entries[0]?.dead_letters, 2);
});

test("REST: push by decimal and hex, repeat, unknown chain, malformed, above head, state", async () => {
  const { chain, door, start } = await scene();
  chain.extend(20);
  const reader = await start("REST");
  const push = async (path: string) => {
    const response = await fetch(`${reader.url}/add-block-by-number/${path}`, { method: "POST" });
    return { status: response.status, body: (await response.json()) as Body };
  };
  const first = await push("16");
  assert.equal(first.status, 202);
  assert.equal(first.body.chain, "dev");
  assert.equal(first.body.status, "queued");
  assert.equal((await push("0x10")).status, 200);
  assert.equal((await push("16?chain=nowhere")).status, 404);
  assert.equal((await push("016")).body.code, "malformed-block-number");
  assert.equal((await push("-1")).status, 422);
  assert.equal((await push("9999?strict=true")).status, 404);
  assert.equal((await push("21?chain=31337")).status, 202);
  await until("block 16", () => heights(door).includes("16"));
  const read = (id: string) => bodyOf(fetch(`${reader.url}/blocks/${id}`));
  await until("submitted", async () => (await read(first.body.id)).status === "submitted");
  chain.extend(1);
  await until("block 21", () => heights(door).includes("21"));
  assert.deepEqual(heights(door), ["16", "21"], "a push moves nothing else");
});

test("REST: a height above the head waits, a token is asked for, health and metrics are open", async () => {
  const { chain, door, dir } = await scene();
  chain.extend(2);
  const config = validateReaderConfig({
    service_url: door.url,
    service_token: "t",
    address: "127.0.0.1:0",
    token: "only-mine",
    block_numbers_dir: join(dir, "block_numbers"),
    block_fetch_params: [["rpc", "dev", 31337, chain.url, "eth_getBlockByNumber", "", null, { poll_ms: 50 }]],
  });
  const reader = await startReader({ config, mode: "REST", stateDir: join(dir, "state"), log: SILENT });
  open.push(reader);
  const ask = (path: string, init: RequestInit = {}, token = "only-mine") =>
    fetch(`${reader.url}${path}`, { ...init, headers: { authorization: `Bearer ${token}` } });
  assert.equal((await ask("/status", {}, "another")).status, 401);
  assert.equal((await fetch(`${reader.url}/add-block-by-number/1`, { method: "POST" })).status, 401);
  for (const path of ["/healthz", "/metrics"]) assert.equal((await fetch(`${reader.url}${path}`)).status, 200);
  const push = await bodyOf(ask("/add-block-by-number/9", { method: "POST" }));
  await until("waiting", async () => (await bodyOf(ask(`/blocks/${push.id}`))).status === "waiting_for_head");
  assert.equal((await bodyOf(ask("/blocks/0xnone"))).code, "not-found");
  assert.equal((await ask("/add-block-by-number/9")).status, 405);
  chain.extend(7);
  await until("submitted", async () => (await bodyOf(ask(`/blocks/${push.id}`))).status === "submitted");
});

test("REST: a full queue answers 503, and takes again once there is room", async () => {
  const { chain, dir, start } = await scene();
  const reader = await start("REST");
  const db = new DatabaseSync(join(dir, "state/reader.db"));
  db.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${MAX_WAITING})
    INSERT INTO push (id, chain, height, status, expires_ms) SELECT i, 'dev', i + 1000, 'queued', 9e15 FROM n`);
  const push = () => fetch(`${reader.url}/add-block-by-number/0`, { method: "POST" });
  const full = await push();
  assert.equal(full.status, 503);
  assert.equal(((await full.json()) as Body).code, "queue-full");
  db.exec("UPDATE push SET status = 'submitted' WHERE id = '1'");
  assert.equal((await push()).status, 202);
  db.close();
  chain.failing = true;
  assert.equal((await fetch(`${reader.url}/add-block-by-number/5?strict=true`, { method: "POST" })).status, 502);
});

test("where only the newest block can be read it is taken as it comes", async (t) => {
  const hash = (n: number) => `0x${n.toString(16).padStart(64, "0")}`;
  let head = 5;
  const server = await startJsonServer({
    rpc: () => ({ result: { n: head, h: hash(head) } }),
  });
  t.after(() => server.close());
  const door = await startDoorServer();
  open.push(door);
  const dir = mkdtempSync(join(tmpdir(), "reader-"));
  const shape = { hash: "/h", number: "/n" };
  const config = validateReaderConfig({
    service_url: door.url,
    service_token: "t",
    block_numbers_dir: join(dir, "block_numbers"),
    block_fetch_params: [["rpc", "newest", 1, server.url, "newest", "", null, { shape, poll_ms: 50 }]],
  });
  const reader = await startReader({ config, mode: "LOOP", stateDir: join(dir, "state"), log: SILENT });
  open.push(reader);
  await until("the first", () => door.taken.size === 1);
  head = 9;
  await until("the next one seen", () => door.taken.size === 2);
  assert.deepEqual(heights(door), ["5", "9"]);
});
