/** The reader on other people's nodes: a CometBFT chain with its kvstore, and btcd with blocks invalidated. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { createBitcoinRpc } from "@cairn/bitcoin-node";
import { testWallet } from "../anchoring/anchored-batch.ts";
import { outsideTool } from "../anchoring/outside-tool.ts";
import { freePort } from "../e2e/free-port.ts";
import { until } from "../e2e/until.ts";
import { valueIn } from "./door.ts";
import { QUICK, scene } from "./scene.ts";

const COMETBFT = outsideTool("CAIRN_COMETBFT", "go/bin/cometbft", ".cache/cairn/go/v0.38.25/cometbft");
const BTCD = outsideTool("CAIRN_BTCD", "go/bin/btcd", ".cache/cairn/go/v0.26.0/btcd");

async function ended(child: ChildProcess): Promise<void> {
  const gone = new Promise<void>((resolve) => child.once("close", () => resolve()));
  child.kill("SIGKILL");
  await gone;
}

describe("cometbft", { skip: COMETBFT === undefined ? "cometbft v0.38.25 is not installed" : false }, () => {
  const home = mkdtempSync(join(tmpdir(), "cairn-comet-"));
  let child: ChildProcess;
  let url: string;
  before(async () => {
    const binary = COMETBFT ?? "cometbft";
    const init = spawnSync(binary, ["init", "--home", home], { encoding: "utf8" });
    assert.equal(init.status, 0, init.stderr);
    const port = await freePort();
    const flags = [
      "--proxy_app",
      "kvstore",
      "--rpc.laddr",
      `tcp://127.0.0.1:${port}`,
      "--p2p.laddr",
      "tcp://127.0.0.1:0",
    ];
    const quick = ["--consensus.create_empty_blocks_interval", "0s", "--log_level", "error"];
    child = spawn(binary, ["start", "--home", home, ...flags, ...quick], { stdio: "ignore" });
    url = `http://127.0.0.1:${port}`;
    const height = async () => Number((await rest(url, "status")).result.sync_info.latest_block_height);
    await until(
      "two blocks",
      () =>
        height().then(
          (at) => at >= 2,
          () => false,
        ),
      60_000,
    );
  });
  after(async () => {
    await ended(child);
    rmSync(home, { recursive: true, force: true });
  });

  for (const method of ["block", "commit"]) {
    it(`every block by ${method}, its hash recomputed`, async (t) => {
      const s = await scene(t);
      const reader = await s.start([
        ["rpc", "comet", 7, url, method, "", null, { ...QUICK, start: 1, finality: "finalized" }],
      ]);
      await until("three blocks", () => s.door.taken.length >= 3, 60_000);
      for (const [i, taken] of s.door.taken.slice(0, 3).entries()) {
        assert.equal(taken.block_number, String(i + 1));
        const { block_id } = (await rest(url, `block?height=${i + 1}`)).result;
        assert.equal(valueIn(taken), `0x${block_id.hash.toLowerCase()}`);
      }
      assert.equal(reader.status()[0]?.stopped, undefined);
    });
  }
});

/** CometBFT's own REST, asked without the reader. */
async function rest(url: string, path: string) {
  return (await (await fetch(`${url}/${path}`)).json()) as {
    readonly result: {
      readonly block_id: { readonly hash: string };
      readonly sync_info: { readonly latest_block_height: string };
    };
  };
}

describe("btcd", { skip: BTCD === undefined ? "btcd v0.26.0 is not installed" : false }, () => {
  const dir = mkdtempSync(join(tmpdir(), "cairn-btcd-"));
  let child: ChildProcess;
  let url: string;
  let call: ReturnType<typeof createBitcoinRpc>["call"];
  before(async () => {
    const port = await freePort();
    const flags = [
      "--regtest",
      "--notls",
      "--rpcuser=user",
      "--rpcpass=p@ss",
      `--rpclisten=127.0.0.1:${port}`,
      "--nolisten",
    ];
    const places = [`--datadir=${dir}/data`, `--logdir=${dir}/log`, `--configfile=${dir}/none`];
    const mining = `--miningaddr=${testWallet().address}`;
    child = spawn(BTCD ?? "btcd", [...flags, ...places, mining], { stdio: "ignore" });
    url = `http://user:p%40ss@127.0.0.1:${port}`;
    const rpc = createBitcoinRpc({ url });
    call = rpc.call.bind(rpc);
    await until(
      "btcd answers",
      () =>
        rpc.getBlockCount().then(
          () => true,
          () => false,
        ),
      60_000,
    );
    await call("generate", [6]);
  });
  after(async () => {
    await ended(child);
    rmSync(dir, { recursive: true, force: true });
  });

  it("headers by height, and a reorganisation that btcd itself makes", async (t) => {
    const s = await scene(t);
    const options = { ...QUICK, start: 1, network: "regtest" };
    const reader = await s.start([["rpc", "btc", 1, url, "getblockheader", "", null, options]]);
    await until("six headers", () => s.door.taken.length === 6);
    const hashes = await Promise.all([1, 2, 3, 4, 5, 6].map((height) => call("getblockhash", [height])));
    assert.deepEqual(
      s.door.taken.map(valueIn),
      hashes.map((hash) => `0x${String(hash)}`),
    );
    await call("invalidateblock", [hashes[4]]);
    await call("generate", [4]);
    await until("four more", () => s.door.taken.length === 10);
    const later = s.door.taken.slice(6);
    assert.deepEqual(
      later.map((taken) => taken.block_number),
      ["5", "6", "7", "8"],
    );
    assert.deepEqual(
      later.map((taken) => taken.reorg_of),
      [s.door.taken[4]?.id, s.door.taken[5]?.id, undefined, undefined],
    );
    assert.equal(reader.status()[0]?.reorgs, 1);
  });

  it("a wrong password is an error without the password in it", async (t) => {
    const s = await scene(t);
    const wrong = url.replace("p%40ss", "hunter22");
    const reader = await s.start([["rpc", "btc", 1, wrong, "getblockheader", "", null, QUICK]]);
    await until("an error", () => (reader.status()[0]?.errors ?? 0) > 0);
    assert.match(reader.status()[0]?.lastError ?? "", /HTTP 401/);
    assert.doesNotMatch(
      JSON.stringify(reader.status(), (_, v) => (typeof v === "bigint" ? `${v}` : v)),
      /hunter22/,
    );
  });
});
