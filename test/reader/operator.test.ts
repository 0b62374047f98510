/**
 * What an operator of `cairn reader` meets: wrong lists, wrong flags, two at once, dead letters given up. No chain of
 * others.
 */
import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { lengthField, varintField } from "../../packages/reader/src/protobuf.ts";
import { startGrpcServer } from "../../packages/reader/src/testing/grpc-server.ts";
import { freePort } from "../e2e/free-port.ts";
import { until } from "../e2e/until.ts";
import { place } from "./place.ts";

const nobody = (name: string, options: object = {}) => [
  "rpc",
  name,
  1,
  "http://127.0.0.1:2",
  "eth_getBlockByNumber",
  "",
  null,
  options,
];

test("an open address without a token is refused, also when a flag names it", async (t) => {
  const p = await place(t);
  p.write([nobody("a")]);
  for (const mode of ["REST", "BOTH", "LOOP"]) {
    const { code, stderr } = await p.run("--mode", mode, "--address", "0.0.0.0:0");
    assert.equal(code, 2, stderr);
    assert.equal(stderr, "cairn: token: needed when address is not loopback\n");
  }
});

test("a wrong list: the entry, the field, the line and what is expected; exit code 2, nothing is made", async (t) => {
  const p = await place(t);
  const lists: readonly (readonly [text: string, expected: RegExp])[] = [
    [
      '["rpc", "a", 1, "ftp://x", "block", ""]',
      /^cairn: block_fetch_params\[0\]\.rpc url \(line 4\): expected an http or https URL\n$/,
    ],
    [
      '["rpc", "ä", 1, "http://x", "block", ""]',
      /chain name \(line 4\): expected letters, digits and hyphens, 1 to 64/,
    ],
    ['["rpc", "a", "1", "http://x", "block", ""]', /chain id \(line 4\): expected an integer from 1/],
    [
      '["rpc", "a", 1, "http://x", "getblok", ""]',
      /method \(line 4\): expected one of eth_getBlockByNumber, .*option shape/,
    ],
    ['["contract", "a", 1, "http://x", "E(bytes32 r", "0x00", ""]', /event \(line 4\): /],
    ['["rpc", "a", 1, "http://x", "block", ""', /^cairn: configuration \(line \d\): not valid TOML: /],
  ];
  for (const [entry, expected] of lists) {
    const text = `service_url = "http://127.0.0.1:1"\nservice_token = "very-secret"\nblock_fetch_params = [\n  ${entry}\n]\n`;
    writeFileSync(join(p.dir, "reader.toml"), text);
    const { code, stderr } = await p.run("--mode", "LOOP");
    assert.equal(code, 2, stderr);
    assert.match(stderr, expected);
    assert.doesNotMatch(stderr, /very-secret|\n.*at /);
  }
  assert.ok(!existsSync(join(p.dir, "reader")), "no state was made");
});

test("help of the reader and of each command below it has examples and exit codes", async (t) => {
  const p = await place(t);
  for (const args of [["--help"], ["audit", "--help"], ["backfill", "--help"]]) {
    const { code, stdout } = await p.run(...args);
    assert.equal(code, 0);
    assert.match(stdout, /\nExamples:\n {2}cairn reader /, args.join(" "));
    assert.match(stdout, /Exit codes: 0/);
    for (const line of stdout.split("\n")) assert.ok(line.length <= 145, line);
  }
});

test("TEST serves health and metrics while it tries the entries, where an address is given", async (t) => {
  const p = await place(t);
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const stalling = createServer(async (_, response) => {
    await held;
    response.end("{}");
  }).listen(0, "127.0.0.1");
  t.after(() => {
    stalling.closeAllConnections();
    stalling.close();
  });
  await new Promise((resolve) => stalling.once("listening", resolve));
  const url = `http://127.0.0.1:${(stalling.address() as AddressInfo).port}`;
  p.write([nobody("gone"), ["rpc", "slow", 1, url, "eth_getBlockByNumber", "", null, { timeout_ms: 60_000 }]]);
  const port = await freePort();
  const run = p.run("--mode", "TEST", "--metrics-address", `127.0.0.1:${port}`, "--json");
  const ask = (path: string) =>
    fetch(`http://127.0.0.1:${port}${path}`).then(
      (answer) => answer.text(),
      () => "",
    );
  const sample = 'cairn_reader_test_ok{chain="gone",kind="rpc",endpoint="127.0.0.1:2"} 0\n';
  await until("the first entry's metrics", async () => (await ask("/metrics")).includes(sample));
  assert.doesNotMatch(await ask("/metrics"), /chain="slow"/);
  assert.deepEqual(JSON.parse(await ask("/healthz")), { status: "ok", mode: "TEST", tried: 1 });
  assert.equal(JSON.parse(await ask("/status")).code, "not-found");
  release();
  const { code, stdout, stderr } = await run;
  assert.equal(code, 1);
  assert.equal(JSON.parse(stdout).length, 2);
  assert.match(stderr, /2 of 2 failed/);
  assert.equal(await ask("/healthz"), "", "it ends with the test");
});

test("a second reader of the same home is refused by its name", async (t) => {
  const p = await place(t);
  p.write([nobody("a")]);
  const first = p.start("LOOP");
  await until("it reads", () => first.log().includes("reading"));
  const { code, stderr } = await p.run("--mode", "LOOP");
  assert.equal(code, 1);
  assert.match(stderr, /^cairn: another reader uses .*: end it, or name another directory with --state-dir\n$/);
  assert.equal((await p.run("audit")).stdout, "no dead letters\n", "audit goes on beside it");
  await first.stopped();
});

test("dead letters by name, discarded one by one or all, and what cannot be asked for", async (t) => {
  const p = await place(t);
  p.write([nobody("a")]);
  await p.run("audit");
  const db = new DatabaseSync(join(p.dir, "reader/reader.db"));
  const add = db.prepare(
    "INSERT INTO dead_letter (chain, height, hash, code, at_ms, detail) VALUES (?, ?, '', 'undecodable', 0, 'odd')",
  );
  for (let n = 1; n <= 3; n += 1) add.run("contract:linea", n);
  add.run("a", 9);
  db.close();
  const lines = async (...args: string[]) => (await p.run("audit", ...args)).stdout.trim().split("\n");
  assert.equal((await lines("--chain", "linea")).length, 3);
  assert.equal((await lines("--chain", "contract:linea")).length, 3);
  assert.deepEqual(await lines("--discard", "1"), ["1  discarded"]);
  assert.equal((await lines()).length, 3);
  assert.match((await lines("--all"))[0] ?? "", /block 1 {2}undecodable: odd {2}discarded 20/);
  assert.deepEqual(await lines("--discard", "all", "--json", "--chain", "linea"), [
    '{"id":2,"discarded":true}',
    '{"id":3,"discarded":true}',
  ]);
  assert.equal((await p.run("audit", "--discard", "77")).stderr, "cairn: no dead letter 77\n");
  assert.equal((await p.run("audit", "--discard", "x")).code, 2);
  assert.equal((await p.run("audit", "--discard", "1", "--replay", "1")).code, 2);
});

test("a backfill says what is wrong in one line: nobody there, an unknown entry of many, heights", async (t) => {
  const p = await place(t);
  p.write(Array.from({ length: 60 }, (_, i) => nobody(`chain-${i}`)));
  const run = (...args: string[]) => p.run("backfill", ...args);
  const gone = await run("chain-0", "1", "2");
  assert.equal(gone.code, 1);
  assert.equal(gone.stderr, "cairn: 127.0.0.1:2: connection refused\n");
  assert.match(
    (await run("nowhere", "1", "2")).stderr,
    /^cairn: no entry "nowhere"; the list has chain-0, .* and 40 more\n$/,
  );
  assert.equal((await run("chain-0", "5", "0x4")).stderr, "cairn: expected FROM up to TO\n");
  const malformed = await run("chain-0", "0xzz", "4");
  assert.deepEqual([malformed.code, malformed.stderr], [2, "cairn: FROM: expected a height in decimal or 0x-hex\n"]);
});

test("TEST waits for an endpoint that speaks gRPC, and ends when it has answered", async (t) => {
  const p = await place(t);
  const text = (field: number, value: string) => lengthField(field, new TextEncoder().encode(value));
  const genesis = "4btiuiMPvEENsttpZC7CZ53DruC3MAgfznDbASZ7DR6S";
  const info = Buffer.concat([text(1, genesis), varintField(4, 7n)]);
  const server = await startGrpcServer((path) =>
    path.endsWith("/GetServiceInfo") ? info : { status: 5, message: "no such checkpoint" },
  );
  t.after(() => server.close());
  const sui = (name: string, url: string) => ["rpc", name, 101, url, "GetCheckpoint", ""];
  p.write([sui("sui", server.url), sui("gone", "http://127.0.0.1:2")]);
  const { code, stdout } = await p.run("--mode", "TEST", "--json");
  assert.equal(code, 1);
  const verdicts = (JSON.parse(stdout) as { readonly verdict: string }[]).map(({ verdict }) => verdict);
  assert.match(verdicts[0] ?? "", /has no block 7 yet$/);
  assert.equal(verdicts[1], "127.0.0.1:2: connection refused");
});
