/** Logs that are huge, countless, misshapen or left out, from endpoints that answer different ranges. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { bytesToHex } from "@cairn/primitives";
import { encodeAbiParameters, encodeEventTopics, type Hex, keccak256, parseAbiItem, toHex } from "viem";
import type { ChainServer } from "./testing/chain-server.ts";
import { type ReaderScene, readerScene } from "./testing/reader-scene.ts";
import { until } from "./testing/until.ts";

const ADDRESS = `0x${"aa".repeat(20)}`;
const ROOTED = "Rooted(uint256 indexed batch, bytes32 root, bytes proof, string note)";
const ITEM = parseAbiItem("event Rooted(uint256 indexed batch, bytes32 root, bytes proof, string note)");
const TYPES = [{ type: "bytes32" }, { type: "bytes" }, { type: "string" }] as const;

const rootOf = (n: number): Hex => keccak256(toHex(n, { size: 32 }));

interface Shape {
  readonly proof?: Hex;
  readonly note?: string;
  /** In place of the data. */
  readonly data?: Hex;
}

/** A log in a block of the chain, encoded by viem. */
function logAt(chain: ChainServer, height: number, n: number, { proof = "0x", note = "", data }: Shape = {}) {
  return {
    address: ADDRESS,
    topics: encodeEventTopics({ abi: [ITEM], args: { batch: BigInt(n) } }),
    data: data ?? encodeAbiParameters(TYPES, [rootOf(n), proof, note]),
    blockNumber: toHex(height),
    blockHash: chain.hashes()[height],
    transactionHash: rootOf(1_000 + n),
    logIndex: toHex(n),
  };
}

function entry(s: ReaderScene, options: object = {}, url = s.chain.url): readonly unknown[] {
  const quick = { poll_ms: 50, request_pause_ms: 0, from_block: 0, root: "root", max_range: 8, ...options };
  return ["contract", "roots", 31_337, url, ROOTED, ADDRESS, null, quick];
}

const taken = (s: ReaderScene) => [...s.door.taken.values()].map((one) => JSON.parse(one.proof_data).proof);

test("a log too long for its proof, one cut short and one with a text that is no UTF-8 become dead letters; the rest is taken", async (t) => {
  const s = await readerScene(t);
  s.chain.extend(6);
  const garbled = encodeAbiParameters(TYPES, [rootOf(3), "0x", "abcd"]).replace(/61626364/, "ff626364") as Hex;
  s.chain.logs = [
    logAt(s.chain, 1, 1),
    logAt(s.chain, 2, 2, { proof: bytesToHex(new Uint8Array(3 * 1024 * 1024).fill(7)) }),
    logAt(s.chain, 3, 3, { data: garbled }),
    logAt(s.chain, 4, 4, { data: `0x${"00".repeat(31)}` }),
    logAt(s.chain, 5, 5, { note: "Ωμέγα \u202e \u{1F600}", proof: "0xfeed" }),
  ];
  const proof = { from: "arg", path: "proof", system: "groth16" };
  const reader = await s.start("BOTH", [entry(s, { proof })]);
  await until("the head", () => reader.status()[0]?.cursor === 6n, 30_000);
  const roots = [1, 2, 5].map(rootOf);
  assert.deepEqual(
    taken(s).filter((value) => roots.includes(value)),
    roots,
    "the root of the long one is a root",
  );
  assert.ok(taken(s).includes("0xfeed"));
  const status = (await (await fetch(`${reader.url}/status`)).json()) as { entries: { dead_letters: number }[] };
  assert.equal(status.entries[0]?.dead_letters, 3, "the proof of 2, logs 3 and 4");
  const lines = s.log.filter(({ message }) => message.startsWith("dead letter"));
  assert.ok(
    lines.some(({ fields }) => String(fields.detail).includes("larger than 1 MiB")),
    JSON.stringify(lines),
  );
});

test("two endpoints of different widths: both are asked for what both answer, and a log that one leaves out is missed", async (t) => {
  const s = await readerScene(t);
  const narrow = await s.another();
  for (const chain of [s.chain, narrow]) chain.extend(20);
  const logs = [logAt(s.chain, 3, 1), logAt(s.chain, 9, 2), logAt(s.chain, 15, 3)];
  s.chain.logs = logs;
  narrow.logs = logs;
  narrow.widest = 3;
  const reader = await s.start("LOOP", [entry(s, { endpoints: [narrow.url] })]);
  await until("the head", () => reader.status()[0]?.cursor === 20n);
  assert.deepEqual(taken(s), [1, 2, 3].map(rootOf));
  assert.equal(reader.status()[0]?.errors, 0, "a range too wide for one is no error");
  for (const chain of [s.chain, narrow]) chain.extend(2);
  s.chain.logs = [...logs, logAt(s.chain, 22, 4)];
  await until("an error", () => (reader.status()[0]?.errors ?? 0) > 0);
  assert.match(reader.status()[0]?.lastError ?? "", /the endpoints disagree/);
  narrow.logs = s.chain.logs;
  await until("the fourth", () => taken(s).includes(rootOf(4)), 20_000);
});

test("among three, one that leaves logs out or invents them is outvoted", async (t) => {
  const s = await readerScene(t);
  const liar = await s.another();
  const third = await s.another();
  for (const chain of [s.chain, liar, third]) chain.extend(10);
  const logs = [logAt(s.chain, 3, 1), logAt(s.chain, 9, 2)];
  s.chain.logs = logs;
  third.logs = logs;
  liar.logs = [logAt(s.chain, 3, 1), logAt(s.chain, 5, 66)];
  const reader = await s.start("LOOP", [entry(s, { endpoints: [s.chain.url, third.url] }, liar.url)]);
  await until("the head", () => reader.status()[0]?.cursor === 10n);
  assert.deepEqual(taken(s), [1, 2].map(rootOf));
  assert.ok((reader.status()[0]?.dissents.get(new URL(liar.url).host) ?? 0) > 0);
});
