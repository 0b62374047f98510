/** What holds for every row of the families' table: bounds while bytes arrive, silence, secrets, finality rules. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import type { BlockSource } from "../block-source.ts";
import { parseEntry } from "../config/entry-parser.ts";
import { EndpointError } from "../endpoint-error.ts";
import { createFamilySource } from "../family-source.ts";
import { startGrpcServer } from "../testing/grpc-server.ts";
import { endpointsOf } from "../worker/reading.ts";
import type { FamilyRow } from "./family.ts";
import { FAMILIES } from "./table.ts";

const signal = AbortSignal.timeout(120_000);
const MAX_BYTES = 65_536;
const KEY = "a-very-secret-key";

const label = ({ name, methods }: FamilyRow) => `${name} (${methods[0]})`;

function sourceAt(url: string, row: FamilyRow, options: object = {}): BlockSource {
  const bounds = { family: row.name, max_bytes: MAX_BYTES, timeout_ms: 300, auth_header: "x-key", ...options };
  const { entry } = parseEntry(["rpc", "x", 1, url, row.methods[0], "", KEY, bounds], 0);
  assert.ok(entry.kind === "rpc" && entry.family === row, label(row));
  return createFamilySource({ row, pool: endpointsOf(entry), finality: entry.finality, hashCheck: true });
}

/** Every way in which a source asks its endpoint. */
const ASKS: Readonly<Record<string, (source: BlockSource) => Promise<unknown>>> = {
  head: (source) => source.head(signal),
  block: (source) => source.block(7n, signal),
  identity: (source) => source.identity(signal),
};

async function errorOf(promise: Promise<unknown>): Promise<EndpointError> {
  return promise.then(
    (value) => assert.fail(`answered ${value}`),
    (error: unknown) => (error instanceof EndpointError ? error : assert.fail(`${error}`)),
  );
}

interface Hostile {
  readonly url: string;
  readonly sent: () => number;
  readonly keys: readonly unknown[];
}

/** Sends spaces without end, `pauseMs` between them. */
async function endless(t: TestContext, row: FamilyRow, pauseMs: number): Promise<Hostile> {
  const keys: unknown[] = [];
  const chunk = Buffer.alloc(pauseMs === 0 ? 16_384 : 1, 0x20);
  let sent = 0;
  const flood = (sink: { destroyed: boolean; write(b: Buffer): boolean; once(e: "drain", f: () => void): unknown }) => {
    const more = () => {
      if (sink.destroyed) return;
      sent += chunk.length;
      const isFlowing = sink.write(chunk);
      if (pauseMs > 0) setTimeout(more, pauseMs);
      else if (isFlowing) setImmediate(more);
      else sink.once("drain", more);
    };
    more();
  };
  if (row.head.transport === "grpc") {
    const server = await startGrpcServer((_, __, stream: ServerHttp2Stream) => {
      stream.respond({ ":status": 200, "content-type": "application/grpc" });
      flood(stream);
      return "handled";
    });
    t.after(() => server.close());
    return { url: server.url, sent: () => sent, keys: [] };
  }
  const server = createServer((request, response) => {
    keys.push(request.headers["x-key"]);
    response.writeHead(200, { "content-type": "application/json" });
    flood(response);
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, sent: () => sent, keys };
}

for (const row of FAMILIES) {
  test(`${label(row)}: an answer without end is cut off while it arrives, whatever was asked`, async (t) => {
    const hostile = await endless(t, row, 0);
    const source = sourceAt(hostile.url, row, { timeout_ms: 20_000 });
    for (const [what, ask] of Object.entries(ASKS)) {
      const before = hostile.sent();
      assert.equal((await errorOf(ask(source))).code, "too-large", what);
      const taken = hostile.sent() - before;
      // What stands in the sockets' buffers comes on top.
      assert.ok(taken < MAX_BYTES + 8 * 1024 * 1024, `${what}: ${taken} bytes`);
    }
    assert.ok(
      hostile.keys.every((key) => key === KEY),
      "each call had the key",
    );
  });

  test(`${label(row)}: an answer that trickles, or never comes, ends with its time`, async (t) => {
    const trickling = await endless(t, row, 20);
    const started = performance.now();
    const error = await errorOf(sourceAt(trickling.url, row).head(signal));
    assert.deepEqual([error.code, error.timedOut], ["unreachable", true]);
    assert.ok(performance.now() - started < 5_000);
  });
}

test("an endpoint that repeats the key in its error does not get it into ours, over HTTP", async (t) => {
  const server = createServer((_, response) => {
    response.end(JSON.stringify({ error: { code: -32_000, message: `no access for ${KEY}` }, ok: false }));
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  for (const row of FAMILIES.filter(({ head }) => head.transport !== "grpc")) {
    for (const ask of [ASKS.head, ASKS.block]) {
      const error = await errorOf(ask?.(sourceAt(url, row)) ?? assert.fail());
      assert.ok(!`${error.message} ${error.stack}`.includes(KEY), label(row));
    }
  }
});

/** The finality rules of each family: the tags its chains have. Everything else is instant or a number of blocks. */
const TAGS: Readonly<Record<string, readonly string[]>> = {
  evm: ["finalized", "safe"],
  cometbft: ["finalized"],
  celestia: ["finalized"],
  substrate: ["finalized"],
  bitcoin: [],
  solana: ["finalized"],
  starknet: ["finalized"],
  near: ["finalized"],
  aptos: ["finalized"],
  sui: ["finalized"],
  ton: ["finalized"],
  tron: ["finalized"],
};

test("every family has its finality rules, and refuses the others when the list is read", () => {
  assert.deepEqual([...new Set(FAMILIES.map(({ name }) => name))].sort(), Object.keys(TAGS).sort());
  for (const row of FAMILIES) {
    const finality = (value: unknown) =>
      parseEntry(
        ["rpc", "x", 1, "http://127.0.0.1:1", row.methods[0], "", null, { family: row.name, finality: value }],
        0,
      );
    for (const tag of ["finalized", "safe"]) {
      const offered = TAGS[row.name]?.includes(tag) === true;
      if (offered) assert.deepEqual(finality(tag).entry.finality, { kind: "tag", tag });
      else assert.throws(() => finality(tag), /options\.finality: expected "instant"/, `${label(row)} ${tag}`);
    }
    assert.deepEqual(finality(6).entry.finality, { kind: "depth", confirmations: 6 });
    assert.deepEqual(finality("instant").entry.finality, { kind: "instant" });
    for (const wrong of ["latest", -1, 1.5, null, {}]) assert.throws(() => finality(wrong), /options\.finality/);
  }
});

test("depth and tags bound what is taken; a tag the chain has not reached takes nothing", async (t) => {
  const [evm] = FAMILIES;
  assert.ok(evm !== undefined);
  let finalized: unknown = { number: "0x5" };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { params } = JSON.parse(Buffer.concat(chunks).toString());
    const result = params[0] === "finalized" ? finalized : params[0] === "safe" ? { number: "0x63" } : "0xa";
    response.end(JSON.stringify({ id: 1, result }));
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  t.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const takeable = (finality: unknown) => sourceAt(url, evm, { finality }).takeable(10n, signal);
  assert.equal(await takeable("instant"), 10n);
  assert.equal(await takeable(3), 7n);
  assert.equal(await takeable(12), -2n);
  assert.equal(await takeable("finalized"), 5n);
  assert.equal(await takeable("safe"), 10n, "never above the head");
  finalized = null;
  assert.equal(await takeable("finalized"), -1n, "nothing is final yet");
});
