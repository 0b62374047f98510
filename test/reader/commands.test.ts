/** `cairn reader` as its operator uses it: TEST, audit, backfill, reloading, metrics, kill -9; on anvil. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { type Hex, keccak256, toHex } from "viem";
import { freePort } from "../e2e/free-port.ts";
import { until } from "../e2e/until.ts";
import { type Anvil, callMined, deployRoots, ROOTED, startAnvil, withoutAnvil } from "./anvil.ts";
import { startChainProxy } from "./chain-proxy.ts";
import { valueIn } from "./door.ts";
import { ended, FLAGS, place } from "./place.ts";
import { QUICK } from "./scene.ts";

const root = (n: number): Hex => keccak256(toHex(n, { size: 32 }));

describe("cairn reader", { skip: withoutAnvil }, () => {
  let anvil: Anvil;
  let address: Hex;

  before(async () => {
    anvil = await startAnvil();
    address = await deployRoots(anvil);
    for (let n = 0; n < 5; n += 1) await callMined(anvil, address, "publish", [BigInt(n), root(n), "0x"]);
  });
  after(() => anvil.close());

  const contract = (options: object = {}) => [
    "contract",
    "roots",
    31_337,
    anvil.url,
    ROOTED,
    address,
    null,
    { ...QUICK, root: "root", ...options },
  ];
  const blocks = (name: string, options: object = {}) => [
    "rpc",
    name,
    31_337,
    anvil.url,
    "eth_getBlockByNumber",
    "",
    null,
    { ...QUICK, ...options },
  ];

  it("TEST tries each endpoint once, prints what it found and submits nothing", async (t) => {
    const p = await place(t);
    p.write([blocks("dev", { confirmations: 2 }), contract()]);
    const { code, stdout } = await p.run("--mode", "TEST");
    assert.equal(code, 0, stdout);
    const head = await anvil.client.getBlockNumber();
    const { hash } = await anvil.client.getBlock({ blockNumber: head - 2n });
    const [title = "", dev = "", roots = ""] = stdout.split("\n");
    assert.match(title, /^entry +endpoint +head +height +hash or root +lag +ms +verdict$/);
    assert.ok(dev.includes(hash.slice(0, 12)) && / 2 +\d+ +ok$/.test(dev), dev);
    assert.ok(roots.startsWith("roots (contract)") && roots.includes(root(4).slice(0, 12)), roots);
    assert.equal(p.door.taken.length, 0);
    assert.throws(() => readFileSync(join(p.dir, "block_numbers/dev-block.txt")));
  });

  it("TEST fails with what is wrong: another chain, nobody there, disagreement", async (t) => {
    const p = await place(t);
    const liar = await startChainProxy(anvil.url, ({ method }) =>
      method === "eth_getBlockByNumber"
        ? { map: (block: object) => ({ ...block, hash: `0x${"66".repeat(32)}` }) }
        : undefined,
    );
    t.after(() => liar.close());
    const [kind, , , ...rest] = blocks("wrong");
    const options = { hash_check: false, endpoints: [liar.url] };
    const nobody = ["rpc", "nobody", 31_337, "http://127.0.0.1:2/secret-path", "eth_getBlockByNumber", ""];
    p.write([[kind, "wrong", 1, ...rest], nobody, blocks("two", options)]);
    const { code, stdout, stderr } = await p.run("--mode", "TEST", "--json");
    assert.equal(code, 1);
    assert.match(stderr, /3 of 5 failed/);
    const rows: { readonly entry: string; readonly ok: boolean; readonly verdict: string }[] = JSON.parse(stdout);
    const failed = rows.filter((row) => !row.ok).map((row) => `${row.entry}: ${row.verdict}`);
    assert.match(failed[0] ?? "", /^wrong: another chain: chain id 31337 in place of 1$/);
    assert.match(failed[1] ?? "", /^nobody: 127\.0\.0\.1:2: connection refused$/);
    assert.match(failed[2] ?? "", /^two: .*disagree/);
  });

  it("audit shows dead letters and replays them once their cause is mended", async (t) => {
    const p = await place(t);
    p.write([contract()]);
    p.door.refuse = 422;
    const reader = p.start("LOOP");
    await until("five refusals", () => p.door.refusals() === 5);
    await reader.stopped();
    const shown = (await p.run("audit", "--json")).stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      shown.map((letter) => [letter.chain, letter.code, letter.log_index]),
      Array(5).fill(["contract:roots", "test-refusal", 0]),
    );
    const still = await p.run("audit", "--replay", String(shown[0].id));
    assert.equal(still.code, 1);
    assert.match(still.stdout, /failed: test-refusal/);
    p.door.refuse = undefined;
    assert.equal((await p.run("audit", "--replay", "all")).code, 0);
    assert.deepEqual(p.door.taken.map(valueIn), [0, 1, 2, 3, 4].map(root));
    assert.equal((await p.run("audit")).stdout, "no dead letters\n");
    assert.equal((await p.run("audit", "--all")).stdout.split("\n").length, 6);
    assert.equal((await p.run("audit", "--replay", "999")).code, 1);
  });

  it("backfill reads a range, once, and leaves the cursor", async (t) => {
    const p = await place(t);
    p.write([blocks("dev"), contract({ max_range: 2 })]);
    const head = await anvil.client.getBlockNumber();
    const { code, stdout } = await p.run("backfill", "dev", "1", "3", "--json");
    assert.equal(code, 0);
    assert.deepEqual(JSON.parse(stdout), { from: "1", to: "3", submitted: 3, known: 0, dead: 0 });
    assert.match((await p.run("backfill", "dev", "2", "4")).stdout, /1 submitted, 2 known before/);
    const events = await p.run("backfill", "roots", "0", `${head}`);
    assert.match(events.stdout, /5 submitted, 0 known before, 0 dead letters/);
    assert.throws(() => readFileSync(join(p.dir, "block_numbers/dev-block.txt")));
    assert.match((await p.run("backfill", "dev", "1", `${head + 1n}`)).stderr, /may be taken up to/);
    assert.match(
      (await p.run("backfill", "nobody", "1", "2")).stderr,
      /no entry "nobody"; the list has dev, contract:roots/,
    );
    assert.equal((await p.run("backfill", "dev", "x", "2")).code, 2);
  });

  it("a backfill that was killed goes on where it was", async (t) => {
    const p = await place(t);
    await anvil.client.mine({ blocks: 60 });
    p.write([blocks("dev", { request_pause_ms: 20 })]);
    const args = [...FLAGS, "reader", "backfill", "dev", "1", "60", "--home", p.dir];
    const child = spawn(process.execPath, args, { stdio: "ignore" });
    await until("some", () => p.door.taken.length >= 10);
    await ended(child, "SIGKILL");
    const before = p.door.taken.length;
    const { stdout } = await p.run("backfill", "dev", "1", "60", "--json");
    const { submitted, known } = JSON.parse(stdout);
    assert.ok(submitted < 60 - before + 2 && known <= 1, stdout);
    assert.deepEqual(
      p.door.taken.map((taken) => Number(taken.block_number)),
      Array.from({ length: 60 }, (_, i) => i + 1),
    );
  });

  it("the list is read again on SIGHUP and when the file changes; a bad file keeps the old one", async (t) => {
    const p = await place(t);
    p.write([blocks("one", { submit: "one" })]);
    const reader = p.start("LOOP");
    const of = (chain: string) => p.door.taken.filter((taken) => taken.chain_id === chain).length;
    await until("one reads", () => of("one") > 0);
    p.write([blocks("one", { submit: "one" }), blocks("two", { submit: "two" })]);
    await until("two reads", () => of("two") > 0);
    writeFileSync(join(p.dir, "reader.toml"), "block_fetch_params = [");
    reader.child.kill("SIGHUP");
    await until("the error", () => reader.log().includes("the list stays as it was"));
    const head = Number(await anvil.client.getBlockNumber());
    await anvil.client.mine({ blocks: 1 });
    await until("both go on", () => of("one") === head + 2 && of("two") === head + 2);
    p.write([blocks("two", { submit: "renamed" })]);
    reader.child.kill("SIGHUP");
    await until("the changed one goes on", async () => {
      await anvil.client.mine({ blocks: 1 });
      return of("renamed") > 0;
    });
    const ofOne = of("one");
    await anvil.client.mine({ blocks: 2 });
    const last = `${await anvil.client.getBlockNumber()}\n`;
    await until("its head", () => readFileSync(join(p.dir, "block_numbers/two-block.txt"), "utf8") === last);
    assert.ok(of("one") <= ofOne, "the removed one reads no more");
    await reader.stopped();
  });

  it("LOOP serves health and metrics only, and only where asked", async (t) => {
    const p = await place(t);
    p.write([blocks("dev"), contract()]);
    const port = await freePort();
    const reader = p.start("LOOP", "--metrics-address", `127.0.0.1:${port}`);
    const url = `http://127.0.0.1:${port}`;
    const head = await anvil.client.getBlockNumber();
    const metrics = () =>
      fetch(`${url}/metrics`).then(
        (r) => r.text(),
        () => "",
      );
    await until("the cursors", async () => {
      const text = await metrics();
      return (
        text.includes(`cairn_reader_cursor{chain="dev",kind="rpc"} ${head}`) &&
        text.includes(`cairn_reader_cursor{chain="roots",kind="contract"} ${head}`)
      );
    });
    assert.match(await metrics(), /cairn_reader_submitted_total\{chain="roots",kind="contract"\} 5\n/);
    assert.equal((await fetch(`${url}/healthz`)).status, 200);
    assert.equal((await fetch(`${url}/add-block-by-number/1`, { method: "POST" })).status, 404);
    await reader.stopped();
  });

  it("kill -9 of a reader of events: nothing lost, nothing twice, the cursor never ahead", async (t) => {
    const p = await place(t);
    const from = Number(await anvil.client.getBlockNumber()) + 1;
    for (let n = 100; n < 130; n += 1) await callMined(anvil, address, "many", [BigInt(n * 10), 3n]);
    p.write([contract({ start: from, max_range: 3, request_pause_ms: 10 })]);
    for (let round = 1; round <= 4; round += 1) {
      const { child } = p.start("LOOP", "--log-level", "silent");
      await until(`round ${round}`, () => p.door.taken.length >= round * 20);
      await ended(child, "SIGKILL");
      const cursor = Number(readFileSync(join(p.dir, "block_numbers/roots-merkle-block.txt"), "utf8"));
      const whole = p.door.taken.filter((taken) => Number(taken.block_number) <= cursor).length;
      assert.equal(whole, 3 * (cursor - from + 1), "everything up to the cursor was acknowledged");
    }
    const last = p.start("LOOP", "--log-level", "silent");
    await until("all ninety", () => p.door.taken.length === 90);
    await last.stopped();
    const expected = Array.from({ length: 30 }, (_, i) => [0, 1, 2].map((j) => root((100 + i) * 10 + j))).flat();
    assert.deepEqual(p.door.taken.map(valueIn), expected);
  });
});
