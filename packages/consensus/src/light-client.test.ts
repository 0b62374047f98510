/** The stock `cometbft light` client follows a chain that this engine makes, over this package's RPC. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { accessSync, constants } from "node:fs";
import { createServer } from "node:net";
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { bytesToUpperHex } from "@cairn/comet";
import { createEmbeddedEngine } from "./engine.ts";
import { createConsensusRpc } from "./rpc/server.ts";
import { createLedgerApp } from "./test-support/ledger-app.ts";
import { createTestHome, QUIET, reached } from "./test-support/test-home.ts";

/** The cometbft binary: named by CAIRN_COMETBFT, on the PATH, or where `go install` with our cache puts it. */
function findCometbft(): string | undefined {
  const folders = [...(process.env.PATH ?? "").split(delimiter), join(homedir(), ".cache", "cairn", "gobin")];
  const candidates = [process.env.CAIRN_COMETBFT ?? "", ...folders.map((folder) => join(folder, "cometbft"))];
  return candidates.find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return path !== "";
    } catch {
      return false;
    }
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  server.close();
  await once(server, "close");
  return port;
}

/** Asks until the proxy answers without an error, for at most twenty seconds. */
async function verified(url: string): Promise<Record<string, unknown>> {
  const deadline = performance.now() + 20_000;
  let last: unknown;
  while (performance.now() < deadline) {
    try {
      const reply = JSON.parse(await (await fetch(url)).text());
      if (reply.error === undefined) return reply.result;
      last = reply.error;
    } catch (error) {
      last = error;
    }
    await delay(100);
  }
  throw new Error(`no verified answer from ${url}: ${JSON.stringify(last)}`);
}

const ROUTES = ["block?height=4", "validators?height=5", "consensus_params?height=4", "block_results?height=3"];

describe("stock light client", () => {
  const cometbft = findCometbft();
  const skip = cometbft === undefined ? "no cometbft binary (set CAIRN_COMETBFT or install v0.38.25)" : false;

  it("verifies commits, blocks, validators, parameters, results and a transaction", {
    skip,
    timeout: 60_000,
  }, async () => {
    const paths = await createTestHome({
      genesis_time: new Date(Date.now() - 1000).toISOString().replace(/0*Z$/, "Z"),
    });
    const tx = new Uint8Array(randomBytes(40));
    const app = createLedgerApp({
      dir: paths.appDir,
      select: (height) => (height === 3n ? [tx, Uint8Array.of(1)] : []),
    });
    const engine = await createEmbeddedEngine({ home: paths.home, app, blockIntervalMs: 50, log: QUIET });
    const rpc = await createConsensusRpc({ engine, host: "127.0.0.1", port: 0, log: QUIET });
    engine.start();
    await reached(engine, 6n);
    const trusted = bytesToUpperHex(engine.reads.store.block(1n)?.id.hash ?? new Uint8Array(0));
    const laddr = `tcp://127.0.0.1:${await freePort()}`;
    const args = ["light", "ledger-1", "-p", rpc.url, "-w", rpc.url, "--height", "1", "--hash", trusted];
    const folder = join(dirname(paths.appDir), "light");
    const light = spawn(cometbft ?? "", [...args, "--home-dir", folder, "--laddr", laddr], { stdio: "ignore" });
    const ended = once(light, "exit");
    const url = laddr.replace("tcp", "http");
    try {
      const commit = JSON.stringify(await verified(`${url}/commit?height=5`));
      assert.match(commit, new RegExp(bytesToUpperHex(engine.reads.store.block(5n)?.id.hash ?? new Uint8Array(0))));
      for (const route of ROUTES) assert.ok(await verified(`${url}/${route}`));
      const hash = createHash("sha256").update(tx).digest("hex");
      const found = await verified(`${url}/tx?hash=0x${hash}&prove=true`);
      assert.equal(found.height, "3");
    } finally {
      light.kill();
      await ended;
      await rpc.close();
      await engine.close();
    }
  });
});
