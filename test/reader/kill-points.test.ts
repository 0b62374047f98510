/**
 * kill -9 at chosen instants, not at random ones: before and after each durable write between fetch, submission and
 * cursor, and while service or chain hold an answer. Whatever the instant, each item is taken once.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it, type TestContext } from "node:test";
import { type Hex, keccak256, toHex } from "viem";
import { until } from "../e2e/until.ts";
import { type Anvil, callMined, deployRoots, ROOTED, startAnvil, withoutAnvil } from "./anvil.ts";
import { startChainProxy } from "./chain-proxy.ts";
import { valueIn } from "./door.ts";
import { FLAGS, type Place, place } from "./place.ts";
import { QUICK } from "./scene.ts";

const root = (n: number): Hex => keccak256(toHex(n, { size: 32 }));

/** A module that ends its process at the Nth durable write: a statement of SQLite, or a file renamed into its place. */
function deadlyModule(write: number, moment: "before" | "after"): string {
  const source = `
    import fs from "node:fs";
    import { syncBuiltinESMExports } from "node:module";
    import { StatementSync } from "node:sqlite";
    let count = 0;
    const deadly = (real) => function (...args) {
      count += 1;
      if (count === ${write} && "${moment}" === "before") process.kill(process.pid, "SIGKILL");
      const result = real.apply(this, args);
      if (count === ${write} && "${moment}" === "after") process.kill(process.pid, "SIGKILL");
      return result;
    };
    StatementSync.prototype.run = deadly(StatementSync.prototype.run);
    fs.renameSync = deadly(fs.renameSync);
    syncBuiltinESMExports();`;
  return `data:text/javascript,${encodeURIComponent(source)}`;
}

/** Runs a command of the reader that is to be killed from within; resolves with the signal that ended it. */
function runDeadly(p: Place, deadly: string, ...args: string[]): Promise<NodeJS.Signals | null> {
  const child = spawn(process.execPath, ["--import", deadly, ...FLAGS, "reader", ...args, "--home", p.dir], {
    stdio: "ignore",
  });
  return new Promise((resolve) => child.once("close", (_, signal) => resolve(signal)));
}

describe("a reader killed at chosen instants", { skip: withoutAnvil }, () => {
  let anvil: Anvil;
  let address: Hex;
  let head: number;

  before(async () => {
    anvil = await startAnvil();
    address = await deployRoots(anvil);
    for (let n = 0; n < 12; n += 1) await callMined(anvil, address, "many", [BigInt(10 * n), 2n]);
    head = Number(await anvil.client.getBlockNumber());
  });
  after(() => anvil.close());

  const roots = Array.from({ length: 12 }, (_, n) => [root(10 * n), root(10 * n + 1)]).flat();
  const contract = (options: object = {}) => [
    "contract",
    "roots",
    31_337,
    anvil.url,
    ROOTED,
    address,
    null,
    { ...QUICK, root: "root", max_range: 2, ...options },
  ];
  const blocks = (url: string) => ["rpc", "dev", 31_337, url, "eth_getBlockByNumber", "", null, { ...QUICK, start: 1 }];

  /** Everything was taken once, in the chain's order. */
  function assertExactlyOnce(p: Place): void {
    const of = (kind: string) => p.door.taken.filter(({ source }) => source.startsWith(kind));
    assert.deepEqual(
      of("rpc:").map((taken) => Number(taken.block_number)),
      Array.from({ length: head }, (_, i) => i + 1),
    );
    assert.deepEqual(of("contract:").map(valueIn), roots);
  }

  async function finished(p: Place): Promise<void> {
    const last = p.start("LOOP", "--log-level", "silent");
    const cursor = (name: string) => Number(readFileSync(join(p.dir, "block_numbers", name), "utf8"));
    await until("all", () => p.door.taken.length === head + roots.length);
    await until("the cursors", () => cursor("dev-block.txt") === head && cursor("roots-merkle-block.txt") === head);
    await last.stopped();
  }

  async function prepared(t: TestContext): Promise<Place> {
    const p = await place(t);
    p.write([blocks(anvil.url), contract()]);
    return p;
  }

  it("before and after each durable write of the loop", async (t) => {
    const p = await prepared(t);
    let killed = 0;
    for (const write of [3, 4, 5, 6, 8, 11]) {
      const moment = write % 2 === 0 ? "before" : "after";
      const signal = await runDeadly(p, deadlyModule(write, moment), "--mode", "LOOP", "--log-level", "silent");
      assert.equal(signal, "SIGKILL", `write ${write}`);
      killed += 1;
    }
    await finished(p);
    assertExactlyOnce(p);
    assert.ok(p.door.repeats() <= 2 * killed, `${p.door.repeats()} repeats after ${killed} kills`);
  });

  it("while the chain holds a block, and before and after the service acknowledges", async (t) => {
    const p = await place(t);
    let victim: ReturnType<Place["start"]> | undefined;
    let deadlyHeight = "0x4";
    const proxy = await startChainProxy(anvil.url, ({ method, params }) => {
      if (method !== "eth_getBlockByNumber" || params[0] !== deadlyHeight) return undefined;
      deadlyHeight = "";
      victim?.child.kill("SIGKILL");
      return "handled";
    });
    t.after(() => proxy.close());
    p.write([blocks(proxy.url), contract()]);
    const dies = async (arm: () => void) => {
      arm();
      victim = p.start("LOOP", "--log-level", "silent");
      const { child } = victim;
      await until("killed", () => child.signalCode === "SIGKILL");
    };
    await dies(() => {});
    await dies(() => {
      p.door.onSubmission = () => {
        p.door.onSubmission = undefined;
        victim?.child.kill("SIGKILL");
        return "silence";
      };
    });
    await dies(() => {
      p.door.onSubmission = () => {
        p.door.onSubmission = undefined;
        return () => victim?.child.kill("SIGKILL");
      };
    });
    await finished(p);
    assertExactlyOnce(p);
  });

  it("a backfill of blocks and of events, at each durable write", async (t) => {
    const p = await prepared(t);
    for (const [entry, from, items] of [
      ["dev", "1", head],
      ["roots", "0", roots.length],
    ] as const) {
      for (const write of [2, 3]) {
        const moment = write % 2 === 0 ? "after" : "before";
        const signal = await runDeadly(p, deadlyModule(write, moment), "backfill", entry, from, `${head}`);
        assert.equal(signal, "SIGKILL", `${entry}, write ${write}`);
      }
      const { code, stdout } = await p.run("backfill", entry, from, `${head}`, "--json");
      assert.equal(code, 0);
      assert.ok(JSON.parse(stdout).submitted < items, "it went on where it was");
    }
    assertExactlyOnce(p);
    assert.match(
      (await p.run("backfill", "dev", "1", `${head}`)).stdout,
      new RegExp(`0 submitted, ${head} known before`),
    );
  });

  it("a replay of dead letters, at each durable write: each is submitted once, none is forgotten", async (t) => {
    const p = await prepared(t);
    p.door.refuse = 422;
    const reader = p.start("LOOP", "--log-level", "silent");
    await until("all refused", () => p.door.refusals() === head + roots.length);
    await reader.stopped();
    p.door.refuse = undefined;
    for (const write of [1, 2]) {
      const moment = write === 2 ? "after" : "before";
      assert.equal(await runDeadly(p, deadlyModule(write, moment), "audit", "--replay", "all"), "SIGKILL");
    }
    assert.equal((await p.run("audit", "--replay", "all")).code, 0);
    assert.equal((await p.run("audit")).stdout, "no dead letters\n");
    const heights = p.door.taken.map(({ block_number, source }) => `${source.split(":")[0]} ${block_number}`);
    assert.equal(heights.length, head + roots.length);
    assert.equal(new Set(p.door.taken.map(({ id }) => id)).size, head + roots.length);
    assert.ok(p.door.repeats() <= 3);
  });
});
