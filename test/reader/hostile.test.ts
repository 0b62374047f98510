/** Endpoints that lie, stall, lag, refuse ranges or send without end; a damaged cursor; a full disk. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it, type TestContext } from "node:test";
import { type Hex, keccak256, toHex } from "viem";
import { until } from "../e2e/until.ts";
import { type Anvil, callMined, deployRoots, ROOTED, startAnvil, withoutAnvil } from "./anvil.ts";
import { type ChainProxy, type Meddle, startChainProxy } from "./chain-proxy.ts";
import { valueIn } from "./door.ts";
import { QUICK, scene } from "./scene.ts";

const root = (n: number): Hex => keccak256(toHex(n, { size: 32 }));

describe("the reader and endpoints of strangers", { skip: withoutAnvil }, () => {
  let anvil: Anvil;
  let address: Hex;

  before(async () => {
    anvil = await startAnvil();
    address = await deployRoots(anvil);
    for (let n = 0; n < 40; n += 4) {
      await callMined(anvil, address, "publish", [BigInt(n), root(n), "0x"]);
      await anvil.client.mine({ blocks: 9 });
    }
  });
  after(() => anvil.close());

  async function proxy(t: TestContext, meddle: Meddle): Promise<ChainProxy> {
    const made = await startChainProxy(anvil.url, meddle);
    t.after(() => made.close());
    return made;
  }

  const contract = (url: string, options: object = {}) => [
    "contract",
    "roots",
    31_337,
    url,
    ROOTED,
    address,
    null,
    { ...QUICK, root: "root", ...options },
  ];
  const blocks = (url: string, options: object = {}) => [
    "rpc",
    "dev",
    31_337,
    url,
    "eth_getBlockByNumber",
    "",
    null,
    { ...QUICK, ...options },
  ];

  it("finds the widest range an endpoint answers, and takes every root in order", async (t) => {
    const width = ({ params }: { params: readonly unknown[] }) => {
      const { fromBlock, toBlock } = params[0] as { readonly fromBlock: string; readonly toBlock: string };
      return Number(toBlock) - Number(fromBlock) + 1;
    };
    const refused: number[] = [];
    const narrow = await proxy(t, (call) => {
      if (call.method !== "eth_getLogs" || width(call) <= 7) return undefined;
      refused.push(width(call));
      return { error: { error: { code: -32_005, message: "query returned more than 10000 results" } } };
    });
    const s = await scene(t);
    const reader = await s.start([contract(narrow.url)]);
    await until("ten roots", () => s.door.taken.length === 10);
    assert.deepEqual(
      s.door.taken.map(valueIn),
      Array.from({ length: 10 }, (_, i) => root(4 * i)),
    );
    assert.ok(refused.length > 0 && refused.every((blocksAsked) => blocksAsked > 7));
    assert.equal(reader.status()[0]?.errors, 0, "a narrower range is no error");
  });

  it("a quota is waited for, not split", async (t) => {
    let denied = 0;
    const limited = await proxy(t, ({ method }) => {
      if (method !== "eth_getLogs" || denied >= 2) return undefined;
      denied += 1;
      return { error: { error: { code: -32_005, message: "daily request count exceeded, request rate limited" } } };
    });
    const s = await scene(t);
    const reader = await s.start([contract(limited.url)]);
    await until("ten roots", () => s.door.taken.length === 10);
    assert.equal(reader.status()[0]?.errors, 2);
    const asked = limited.calls.filter(({ method }) => method === "eth_getLogs").slice(0, 3);
    assert.deepEqual(asked[1]?.params, asked[0]?.params);
  });

  it("a liar among three endpoints is outvoted; between two nobody is believed", async (t) => {
    const liar = await proxy(t, ({ method, params }) =>
      method === "eth_getBlockByNumber" && params[0] !== "0x0"
        ? { map: (block: { number: string } | null) => block && { ...block, hash: `0x${"66".repeat(32)}` } }
        : undefined,
    );
    const honest = await proxy(t, () => undefined);
    const three = await scene(t);
    const options = { start: 1, hash_check: false };
    await three.start([blocks(liar.url, { ...options, endpoints: [honest.url, anvil.url] })]);
    await until("five blocks", () => three.door.taken.length >= 5);
    for (const taken of three.door.taken) {
      assert.equal(valueIn(taken), (await anvil.client.getBlock({ blockNumber: BigInt(taken.block_number) })).hash);
    }
    const two = await scene(t);
    const reader = await two.start([blocks(liar.url, { ...options, endpoints: [anvil.url] })]);
    await until("an error", () => (reader.status()[0]?.errors ?? 0) > 0);
    assert.match(reader.status()[0]?.lastError ?? "", /disagree/);
    assert.equal(two.door.taken.length, 0);
  });

  it("an endpoint that stalls or sends without end is left for another; the others' entries never wait", async (t) => {
    const stalling = await proxy(t, () => "handled");
    const endless = await proxy(t, (_, response) => {
      const block = Buffer.alloc(1024 * 1024, 0x20);
      const more = () => {
        while (!response.destroyed && response.write(block));
        if (!response.destroyed) response.once("drain", more);
      };
      more();
      return "handled";
    });
    const s = await scene(t);
    const entry = blocks(stalling.url, { start: 1, timeout_ms: 300, endpoints: [endless.url, anvil.url] });
    const other = blocks(anvil.url, { start: 1, submit: "other" });
    await s.start([entry, ["rpc", "other", ...other.slice(2)]]);
    await until("both go on", () => {
      const of = (chain: string) => s.door.taken.filter((taken) => taken.chain_id === chain).length;
      return of("31337") >= 3 && of("other") >= 20;
    });
  });

  it("a node that lags behind its own head is asked again, and is no error", async (t) => {
    let answers = 0;
    const lagging = await proxy(t, ({ method, params }) => {
      if (method !== "eth_getBlockByNumber" || params[0] !== "0x3") return undefined;
      answers += 1;
      return answers <= 2 ? { map: () => null } : undefined;
    });
    const s = await scene(t);
    const reader = await s.start([blocks(lagging.url, { start: 1 })]);
    await until("past it", () => s.door.taken.length >= 5);
    assert.deepEqual(
      s.door.taken.slice(0, 4).map((taken) => taken.block_number),
      ["1", "2", "3", "4"],
    );
    assert.equal(reader.status()[0]?.errors, 0);
  });

  it("logs of another fork than the headers are not taken", async (t) => {
    let lies = 0;
    const forked = await proxy(t, ({ method }) => {
      if (method !== "eth_getLogs" || lies > 0) return undefined;
      return {
        map: (logs: readonly object[]) => {
          lies += logs.length;
          return logs.map((log) => ({ ...log, blockHash: `0x${"66".repeat(32)}` }));
        },
      };
    });
    const s = await scene(t);
    const reader = await s.start([contract(forked.url)]);
    await until("ten roots", () => s.door.taken.length === 10);
    assert.equal(reader.status()[0]?.errors, 1);
    assert.ok(s.door.taken.every((taken) => !taken.source.includes("6666666666")));
  });

  it("another chain behind the URL stops the entry, also one that was changed between two runs", async (t) => {
    const s = await scene(t);
    const first = await s.start([blocks(anvil.url, { start: 1 })]);
    await until("a block", () => s.door.taken.length > 0);
    await first.close();
    const other = await proxy(t, ({ method, params }) =>
      method === "eth_getBlockByNumber" && params[0] === "0x0"
        ? { map: (block: object) => ({ ...block, hash: `0x${"99".repeat(32)}` }) }
        : undefined,
    );
    const reader = await s.start([blocks(other.url, { start: 1 })]);
    await until("stopped", () => reader.status()[0]?.stopped !== undefined);
    assert.match(reader.status()[0]?.stopped ?? "", /another chain than before: first block/);
  });

  it("a damaged cursor stops its entry only, and says which file", async (t) => {
    const s = await scene(t);
    mkdirSync(join(s.dir, "block_numbers"));
    writeFileSync(join(s.dir, "block_numbers/roots-merkle-hash.txt"), "0xzz");
    writeFileSync(join(s.dir, "block_numbers/dev-block.txt"), "12 monkeys");
    const sound = blocks(anvil.url, { start: 1 });
    const reader = await s.start([blocks(anvil.url), contract(anvil.url), ["rpc", "sound", ...sound.slice(2)]], "BOTH");
    await until("the sound one goes on", () => s.door.taken.length >= 3);
    const stopped = reader.status().map((status) => status.stopped ?? "");
    assert.match(stopped[0] ?? "", /dev-block\.txt is damaged/);
    assert.match(stopped[1] ?? "", /roots-merkle-hash\.txt is damaged/);
    assert.equal(stopped[2], "");
    assert.equal((await fetch(`${reader.url}/healthz`)).status, 503);
    assert.ok(s.door.taken.every((taken) => taken.source.startsWith("rpc:sound|")));
  });

  it("a cursor that cannot be written is tried again; nothing is lost and nothing comes twice", async (t) => {
    const s = await scene(t);
    const numbers = join(s.dir, "block_numbers");
    const reader = await s.start([blocks(anvil.url, { start: 1 })]);
    await until("three blocks", () => s.door.taken.length >= 3);
    // A file in the directory's place fails every write, as a full disk does, for every user.
    renameSync(numbers, `${numbers}-aside`);
    writeFileSync(numbers, "");
    await until("an error", () => (reader.status()[0]?.errors ?? 0) > 0);
    rmSync(numbers);
    renameSync(`${numbers}-aside`, numbers);
    const head = Number(await anvil.client.getBlockNumber());
    await until("the head", () => readFileSync(join(numbers, "dev-block.txt"), "utf8") === `${head}\n`);
    const heights = s.door.taken.map((taken) => Number(taken.block_number));
    assert.deepEqual(
      heights,
      Array.from({ length: head }, (_, i) => i + 1),
    );
    assert.equal(reader.status()[0]?.stopped, undefined);
  });
});
