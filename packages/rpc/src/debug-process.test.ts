import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { LogLevel } from "./options.ts";
import { type LiveNode, startLiveNode } from "./testing/live-node.ts";

let dir: string;
let node: LiveNode;
const levels: LogLevel[] = [];

before(async () => {
  dir = join(await mkdtemp(join(tmpdir(), "cairn-debug-")), "debug");
  node = await startLiveNode({ automine: false, debugDir: dir, setLogLevel: (level) => levels.push(level) });
  await node.produce();
});
after(async () => {
  await node.close();
  await rm(join(dir, ".."), { recursive: true, force: true });
});

async function done(method: string, ...params: unknown[]): Promise<unknown> {
  const { result, error } = await node.asOperator(method, ...params);
  assert.equal(error, undefined, error?.message);
  return result;
}

async function fails(message: RegExp, method: string, ...params: unknown[]): Promise<void> {
  const { error } = await node.asOperator(method, ...params);
  assert.match(error?.message ?? "", message);
}

test("memory and collections in Go's words", async () => {
  assert.equal(await done("debug_freeOSMemory"), null);
  const memory = (await done("debug_memStats")) as Record<string, number>;
  for (const name of ["Alloc", "Sys", "HeapAlloc", "HeapSys", "HeapInuse"]) assert.ok((memory[name] ?? 0) > 0, name);
  assert.ok((memory.Sys ?? 0) >= (memory.HeapInuse ?? 0));
  const until = performance.now() + 5_000;
  let collections: { NumGC: number; Pause: number[]; PauseEnd: string[]; LastGC: string };
  do collections = (await done("debug_gcStats")) as typeof collections;
  while (collections.NumGC === 0 && performance.now() < until);
  assert.ok(collections.NumGC > 0);
  assert.equal(collections.Pause.length, collections.PauseEnd.length);
  assert.equal(collections.LastGC, collections.PauseEnd[0]);
});

test("stacks, filtered", async () => {
  const all = String(await done("debug_stacks"));
  assert.match(all, /^main thread:\n {4}at /);
  assert.match(all, /event loop waits for:\n/);
  assert.doesNotMatch(all, /HOME=|PATH=/);
  const some = String(await done("debug_stacks", "TCP"));
  assert.ok(some.length < all.length);
  for (const line of some.split("\n").filter((line) => line.startsWith("    "))) assert.match(line, /TCP/);
});

test("a CPU profile, of some seconds and from start to stop", async () => {
  assert.equal(await done("debug_cpuProfile", "cpu.cpuprofile", 1), null);
  const profile = JSON.parse(await readFile(join(dir, "cpu.cpuprofile"), "utf8"));
  assert.ok(profile.nodes.length > 0 && profile.endTime > profile.startTime);
  await fails(/^CPU profiling not in progress$/, "debug_stopCPUProfile");
  await done("debug_startCPUProfile", "second.cpuprofile");
  await fails(/^CPU profiling already in progress$/, "debug_startCPUProfile", "third");
  await fails(/^CPU profiling already in progress$/, "debug_cpuProfile", "third", 1);
  await done("debug_stopCPUProfile");
  assert.ok(JSON.parse(await readFile(join(dir, "second.cpuprofile"), "utf8")).nodes.length > 0);
  assert.ok(!(await readdir(dir)).includes("third"));
});

test("a trace of the runtime", async () => {
  await fails(/^trace not in progress$/, "debug_stopGoTrace");
  await done("debug_startGoTrace", "trace.json");
  await fails(/^trace already in progress$/, "debug_goTrace", "other.json", 1);
  await done("debug_stopGoTrace");
  const { traceEvents } = JSON.parse(await readFile(join(dir, "trace.json"), "utf8"));
  assert.ok(traceEvents.length > 0);
});

test("a heap snapshot, readable by its owner alone", async () => {
  await done("debug_writeMemProfile", "heap.heapsnapshot");
  const { snapshot } = JSON.parse(await readFile(join(dir, "heap.heapsnapshot"), "utf8"));
  assert.ok(snapshot.node_count > 1000);
  assert.equal((await stat(join(dir, "heap.heapsnapshot"))).mode & 0o777, 0o600);
  assert.equal((await stat(dir)).mode & 0o777, 0o700);
});

test("files stay below the node's directory", async () => {
  for (const name of ["../out", "/tmp/out", "a/b", ".hidden", "", "a\0b", "a\\b", "x".repeat(129)]) {
    const { error } = await node.asOperator("debug_writeMemProfile", name);
    assert.equal(error?.code, -32602, name);
  }
  const outside = join(dir, "..", "outside");
  await writeFile(outside, "kept");
  await symlink(outside, join(dir, "link"));
  await mkdir(join(dir, "folder"));
  await fails(/^could not write file: it is a link$/, "debug_startCPUProfile", "link");
  await fails(/^could not read file: it is a link$/, "debug_traceBlockFromFile", "link");
  await fails(/^could not read file: it is no plain file$/, "debug_traceBlockFromFile", "folder");
  await fails(/^could not read file: no such file$/, "debug_traceBlockFromFile", "absent");
  assert.equal(await readFile(outside, "utf8"), "kept");
  await fails(/^CPU profiling not in progress$/, "debug_stopCPUProfile");
});

test("a block from a file", async () => {
  const raw = String((await node.rpc("debug_getRawBlock", "0x1")).result);
  await writeFile(join(dir, "block.rlp"), Buffer.from(raw.slice(2), "hex"));
  assert.deepEqual(await done("debug_traceBlockFromFile", "block.rlp"), []);
  await writeFile(join(dir, "broken.rlp"), "what");
  await fails(/^could not decode block: rlp: /, "debug_traceBlockFromFile", "broken.rlp");
  assert.equal((await node.rpc("debug_getBlockRlp", 1)).result, raw);
  assert.match(String((await node.rpc("debug_printBlock", 1)).result), /number: '0x1'/);
  assert.equal((await node.rpc("debug_printBlock", 99)).error?.message, "block #99 not found");
});

test("bad blocks: none", async () => {
  const hash = `0x${"0e".repeat(32)}`;
  assert.deepEqual((await node.rpc("debug_getBadBlocks")).result, []);
  await fails(/^bad block 0x(0e){32} not found$/, "debug_traceBadBlock", hash);
  await fails(/^bad block 0x(0e){32} not found$/, "debug_standardTraceBadBlockToFile", hash, {});
});

test("the log level", async () => {
  for (const level of [0, 1, 2, 3, 4, 5]) assert.equal(await done("debug_verbosity", level), null);
  assert.deepEqual(levels, ["silent", "error", "warn", "info", "debug", "debug"]);
  for (const level of [6, -1, 1.5, "3"]) {
    assert.equal((await node.asOperator("debug_verbosity", level)).error?.code, -32602);
  }
});

test("what writes, steers or shows the inside is private; what has no equivalent says why", async () => {
  for (const [method, ...params] of [
    ["debug_stacks"],
    ["debug_freeOSMemory"],
    ["debug_cpuProfile", "a", 1],
    ["debug_stopCPUProfile"],
    ["debug_writeMemProfile", "a"],
    ["debug_traceBlockFromFile", "a"],
    ["debug_verbosity", 3],
  ] as const) {
    assert.equal((await node.rpc(method, ...params)).error?.code, 4100, method);
  }
  for (const method of ["debug_setHead", "debug_mutexProfile", "debug_setGCPercent", "debug_vmodule"]) {
    const { error } = await node.rpc(method);
    assert.equal(error?.code, -32601);
    assert.match(error.message, /is not available: ./);
  }
  assert.deepEqual(node.faults, []);
});

test("a node without a directory refuses files", async () => {
  const plain = await startLiveNode({ automine: false, debugDir: "" });
  try {
    const { error } = await plain.asOperator("debug_writeMemProfile", "a");
    assert.equal(error?.message, "this node has no directory for debug files");
  } finally {
    await plain.close();
  }
});
