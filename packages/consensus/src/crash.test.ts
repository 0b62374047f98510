/** Kill -9 at random instants, and a disk that takes no more: nothing is lost, nothing is signed twice. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { bytesToBase64, bytesToUpperHex, verifyCommit, voteSignBytes } from "@cairn/comet";
import { createEmbeddedEngine, type EmbeddedEngine } from "./engine.ts";
import { openBlock } from "./make-block.ts";
import { platformSha256 } from "./platform-sha256.ts";
import { createLedgerApp, readLedger } from "./test-support/ledger-app.ts";
import { createTestHome, QUIET, reached, type TestHome } from "./test-support/test-home.ts";

const CHILD = fileURLToPath(new URL("./test-support/engine-child.ts", import.meta.url));
const KILLS = 12;
const NODE_ARGS = ["--conditions=cairn-source", "--no-warnings", CHILD];

/** mulberry32: numbers from 0 to 1 that a seed decides. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

function rootOf(paths: TestHome): string {
  return dirname(paths.appDir);
}

/** Lines "height hash" of a log as a map; a height with two hashes fails. */
function heights(file: string): Map<string, string> {
  const found = new Map<string, string>();
  if (!existsSync(file)) return found;
  for (const line of readFileSync(file, "utf8").split("\n")) {
    const [height = "", hash = ""] = line.split(" ");
    if (hash.length !== 64) continue;
    assert.equal(found.get(height) ?? hash, hash, `two blocks at height ${height}`);
    found.set(height, hash);
  }
  return found;
}

/** Resolves once the child runs and has told of so many blocks, however slow the machine is. */
async function madeBlocks(child: ChildProcess, blocks: number): Promise<void> {
  assert.ok(child.stdout !== null);
  child.stdout.setEncoding("utf8");
  let told = "";
  while (told.split("\n").length < blocks + 2) {
    const [chunk] = await once(child.stdout, "data");
    told += chunk;
  }
  assert.match(told, /^running\n/);
}

async function reopened(paths: TestHome): Promise<EmbeddedEngine> {
  const app = createLedgerApp({ dir: paths.appDir });
  return createEmbeddedEngine({ home: paths.home, app, blockIntervalMs: 1, log: QUIET });
}

/** Checks commits, reported hashes and the ledger over the whole chain. */
function checkAll(engine: EmbeddedEngine, paths: TestHome): void {
  const { store } = engine.reads;
  const finalized = heights(join(paths.appDir, "finalized.log"));
  const committed = heights(join(rootOf(paths), "committed.log"));
  let hash = "";
  for (let height = 1n; height <= engine.latestHeight(); height++) {
    const { block, id } = openBlock(store.block(height)?.bytes ?? new Uint8Array(0), platformSha256);
    const commit = store.commit(height);
    assert.ok(commit !== undefined);
    const check = { chainId: engine.chainId, validators: store.validators(height) ?? [], blockId: id, height, commit };
    assert.equal(verifyCommit(check).ok, true);
    const text = Buffer.from(id.hash).toString("hex");
    assert.equal(finalized.get(String(height)), text);
    assert.equal(committed.get(String(height)) ?? text, text);
    const digest = createHash("sha256").update(`${hash}/${height}/`).update(id.hash);
    for (const tx of block.txs) digest.update(tx);
    hash = digest.digest("hex");
  }
  assert.equal(readLedger(paths.appDir).height, String(engine.latestHeight()));
  assert.equal(readLedger(paths.appDir).hash, hash);
  for (const height of committed.keys())
    assert.ok(BigInt(height) <= engine.latestHeight(), "a committed height is lost");
}

/** What the private validator had signed when the process died must be what the chain has at that height. */
function checkSigned(engine: EmbeddedEngine, signed: { height: string; signature: string; signbytes: string }): void {
  const height = BigInt(signed.height);
  const commit = engine.reads.store.commit(height);
  const entry = commit?.signatures[0];
  assert.ok(commit !== undefined && entry !== undefined, `height ${height} was signed and is not committed`);
  assert.equal(bytesToBase64(entry.signature), signed.signature);
  const vote = { type: 2, ...commit, timestamp: entry.timestamp, chainId: engine.chainId } as const;
  assert.equal(bytesToUpperHex(voteSignBytes(vote)), signed.signbytes);
}

describe("a process that dies", () => {
  it(`survives ${KILLS} kills at random instants`, { timeout: 60_000 }, async (t) => {
    const seed = Number(process.env.CAIRN_SEED ?? Date.now() % 1_000_000);
    t.diagnostic(`seed ${seed} (set CAIRN_SEED to repeat)`);
    const random = createRandom(seed);
    const paths = await createTestHome();
    const signed: { height: string; signature: string; signbytes: string }[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      const child = spawn(process.execPath, [...NODE_ARGS, rootOf(paths)], { stdio: ["ignore", "pipe", "inherit"] });
      const exited = once(child, "exit");
      await madeBlocks(child, kill % 3);
      child.stdout.resume();
      await delay(random() * 150);
      child.kill("SIGKILL");
      assert.deepEqual(await exited, [null, "SIGKILL"]);
      const state = JSON.parse(readFileSync(paths.home.privValidatorStateFile, "utf8"));
      if (state.step === 3) signed.push(state);
    }
    const engine = await reopened(paths);
    try {
      engine.start();
      await reached(engine, engine.latestHeight() + 2n);
    } finally {
      await engine.close();
    }
    const final = await reopened(paths);
    try {
      assert.ok(final.latestHeight() >= KILLS);
      checkAll(final, paths);
      for (const state of signed) checkSigned(final, state);
    } finally {
      await final.close();
    }
  });

  it("halts on a disk that is full and goes on when there is room", { timeout: 60_000 }, async () => {
    const paths = await createTestHome();
    for (const kilobytes of [160, 600]) {
      const blocks = Math.ceil((kilobytes * 1024) / 512);
      const script = `ulimit -f ${blocks}; exec "$@"`;
      const args = ["-c", script, "sh", process.execPath, ...NODE_ARGS, rootOf(paths)];
      const child = spawn("sh", args, { stdio: ["ignore", "pipe", "pipe"] });
      const exited = once(child, "exit");
      const output = child.stdout.setEncoding("utf8").toArray();
      const errors = child.stderr.setEncoding("utf8").toArray();
      assert.deepEqual(await exited, [0, null], (await errors).join(""));
      assert.match((await output).join(""), /failed storage at \d+/);
      const engine = await reopened(paths);
      try {
        const from = engine.latestHeight();
        engine.start();
        await reached(engine, from + 3n);
      } finally {
        await engine.close();
      }
    }
    const engine = await reopened(paths);
    checkAll(engine, paths);
    await engine.close();
  });
});
