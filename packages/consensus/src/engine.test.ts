import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import {
  addNanos,
  commitHash,
  compareTimestamps,
  dataHash,
  headerHash,
  makePartSet,
  parseRfc3339,
  type Timestamp,
  validatorsHash,
  verifyCommit,
} from "@cairn/comet";
import { createEmbeddedEngine, type EmbeddedEngine } from "./engine.ts";
import { ConsensusError } from "./errors.ts";
import { openBlock } from "./make-block.ts";
import { platformSha256 } from "./platform-sha256.ts";
import { createLedgerApp, type LedgerOptions, readLedger } from "./test-support/ledger-app.ts";
import { createTestHome, QUIET, reached, type TestHome } from "./test-support/test-home.ts";

type Choice = Omit<LedgerOptions, "dir"> & { now?: () => Timestamp; blockIntervalMs?: number };

async function open(paths: TestHome, choice: Choice = {}): Promise<EmbeddedEngine> {
  const { now, blockIntervalMs = 1, ...ledger } = choice;
  const app = createLedgerApp({ dir: paths.appDir, ...ledger });
  return createEmbeddedEngine({ home: paths.home, app, blockIntervalMs, log: QUIET, ...(now ? { now } : {}) });
}

/** Runs an engine until a height and closes it. */
async function runTo(paths: TestHome, height: bigint, choice: Choice = {}): Promise<bigint> {
  const engine = await open(paths, choice);
  try {
    engine.start();
    await reached(engine, height);
  } finally {
    await engine.close();
  }
  return engine.latestHeight();
}

function sealedAt(engine: EmbeddedEngine, height: bigint) {
  const stored = engine.reads.store.block(height);
  assert.ok(stored !== undefined, `block ${height}`);
  return openBlock(stored.bytes, platformSha256);
}

const isCode = (code: string) => (error: unknown) => error instanceof ConsensusError && error.code === code;

/** Checks every rule between the blocks 1 to the tip. */
function checkChain(engine: EmbeddedEngine): void {
  const { store, genesis } = engine.reads;
  for (let height = 1n; height <= engine.latestHeight(); height++) {
    const { block, id, bytes } = sealedAt(engine, height);
    const { header } = block;
    assert.deepEqual(headerHash(header), store.block(height)?.id.hash);
    assert.deepEqual(makePartSet(bytes).header, store.block(height)?.id.parts);
    assert.deepEqual(header.dataHash, dataHash(block.txs));
    assert.deepEqual(header.lastCommitHash, commitHash(block.lastCommit));
    const validators = store.validators(height) ?? [];
    assert.deepEqual(header.validatorsHash, validatorsHash(validators));
    assert.deepEqual(header.nextValidatorsHash, validatorsHash(store.validators(height + 1n) ?? []));
    const commit = store.commit(height);
    assert.ok(commit !== undefined);
    const check = { chainId: header.chainId, validators, blockId: id, height, commit };
    assert.equal(verifyCommit(check).ok, true);
    const vote = commit.signatures[0]?.timestamp;
    assert.ok(vote !== undefined && compareTimestamps(vote, addNanos(header.time, 1_000_000n)) >= 0);
    if (height === 1n) {
      assert.deepEqual(header.time, genesis.time);
      assert.equal(block.lastCommit.signatures.length, 0);
      continue;
    }
    const before = sealedAt(engine, height - 1n);
    assert.deepEqual(header.lastBlockId, before.id);
    assert.deepEqual(block.lastCommit, store.commit(height - 1n));
    assert.deepEqual(header.time, store.commit(height - 1n)?.signatures[0]?.timestamp);
    assert.deepEqual(header.appHash, store.appHashAfter(height - 1n));
  }
}

describe("embedded engine", () => {
  it("drives ABCI 2.0 in order and makes a chain that verifies", async () => {
    const paths = await createTestHome();
    const calls: string[] = [];
    const engine = await open(paths, {
      select: (height) => (height % 2n === 0n ? [Uint8Array.of(1, Number(height)), Uint8Array.of(0xff)] : []),
      onCall: (name) => calls.push(name),
    });
    try {
      engine.start();
      await reached(engine, 6n);
      checkChain(engine);
    } finally {
      await engine.close();
    }
    const height = ["PrepareProposal", "ProcessProposal", "FinalizeBlock", "Commit"];
    assert.deepEqual(calls.slice(0, 10), ["Info", "InitChain", ...height, ...height]);
    assert.equal(readLedger(paths.appDir).height, String(engine.latestHeight()));
  });

  it("goes on after a restart, without InitChain and with the same blocks", async () => {
    const paths = await createTestHome();
    const tip = await runTo(paths, 3n);
    const calls: string[] = [];
    const engine = await open(paths, { onCall: (name) => calls.push(name) });
    try {
      assert.equal(engine.latestHeight(), tip);
      assert.deepEqual(calls, ["Info"]);
      engine.start();
      await reached(engine, tip + 3n);
      checkChain(engine);
    } finally {
      await engine.close();
    }
  });

  it("replays missing blocks into an application that is behind or empty", async () => {
    const paths = await createTestHome();
    await runTo(paths, 2n, { select: (height) => [Uint8Array.of(7, Number(height))] });
    const behind = readFileSync(join(paths.appDir, "ledger.json"));
    const tip = await runTo(paths, 6n, { select: (height) => [Uint8Array.of(7, Number(height))] });
    const whole = readLedger(paths.appDir);
    for (const reset of [
      () => writeFileSync(join(paths.appDir, "ledger.json"), behind),
      () => rmSync(paths.appDir, { recursive: true }),
    ]) {
      reset();
      const fresh = await createTestHome();
      const dir = readLedger(paths.appDir).height === "0" ? fresh.appDir : paths.appDir;
      const engine = await open({ home: paths.home, appDir: dir });
      await engine.close();
      assert.equal(engine.latestHeight(), tip);
      assert.deepEqual(readLedger(dir), whole);
    }
  });

  it("refuses an application that is ahead or has another hash, and a foreign genesis", async () => {
    const paths = await createTestHome();
    await runTo(paths, 3n);
    const good = readLedger(paths.appDir);
    const set = (state: object): void => writeFileSync(join(paths.appDir, "ledger.json"), JSON.stringify(state));
    set({ ...good, height: String(BigInt(good.height) + 1n) });
    await assert.rejects(open(paths), isCode("app-ahead"));
    set({ ...good, hash: "00".repeat(32) });
    await assert.rejects(open(paths), isCode("app-mismatch"));
    set({ ...good, height: String(BigInt(good.height) - 1n) });
    await assert.rejects(open(paths), isCode("app-mismatch"));
    set(good);
    const text = readFileSync(paths.home.genesisFile, "utf8");
    writeFileSync(paths.home.genesisFile, text.replace("ledger-1", "ledger-2"));
    await assert.rejects(open(paths), isCode("genesis-mismatch"));
    writeFileSync(paths.home.genesisFile, "{");
    await assert.rejects(open(paths), isCode("invalid-home"));
    writeFileSync(paths.home.genesisFile, text);
    await (await open(paths)).close();
  });

  it("lets no second process at the data directory", async () => {
    const paths = await createTestHome();
    const engine = await open(paths);
    await assert.rejects(open(paths), isCode("locked"));
    await engine.close();
  });

  it("applies its own power from H+2 and parameters from H+1", async () => {
    const paths = await createTestHome();
    const pubKey = Buffer.from(
      JSON.parse(readFileSync(paths.home.genesisFile, "utf8")).validators[0].pub_key.value,
      "base64",
    );
    const engine = await open(paths, {
      validatorUpdates: (height) => (height === 2n ? [{ pubKeyType: "ed25519", pubKey, power: 25n }] : []),
      paramUpdates: (height) =>
        height === 2n ? { block: { maxBytes: 1_000_000n, maxGas: 7n }, version: { app: 9n } } : undefined,
    });
    try {
      engine.start();
      await reached(engine, 6n);
      checkChain(engine);
      const powers = [1n, 2n, 3n, 4n, 5n].map((h) => engine.reads.store.validators(h)?.[0]?.power);
      assert.deepEqual(powers, [10n, 10n, 10n, 25n, 25n]);
      const gas = [2n, 3n].map((h) => engine.reads.store.params(h)?.block.maxGas);
      assert.deepEqual(gas, [-1n, 7n]);
      assert.deepEqual(
        [2n, 3n].map((h) => sealedAt(engine, h).block.header.version.app),
        [3n, 9n],
      );
    } finally {
      await engine.close();
    }
  });

  it("halts before committing a set of several validators", async () => {
    const paths = await createTestHome();
    const other = { pubKeyType: "ed25519", pubKey: new Uint8Array(32).fill(5), power: 1n } as const;
    const engine = await open(paths, { validatorUpdates: (height) => (height === 3n ? [other] : []) });
    engine.start();
    await assert.rejects(engine.failed, isCode("several-validators"));
    await engine.close();
    assert.equal(engine.latestHeight(), 2n);
    assert.equal(readLedger(paths.appDir).height, "2");
    assert.ok((await runTo(paths, 4n)) >= 4n);
  });

  it("puts out an empty block when the application refuses its own selection", async () => {
    const paths = await createTestHome();
    const engine = await open(paths, { select: () => [Uint8Array.of(1)], accept: (txs) => txs.length === 0 });
    try {
      engine.start();
      await reached(engine, 2n);
      assert.equal(sealedAt(engine, 2n).block.txs.length, 0);
    } finally {
      await engine.close();
    }
    const refusing = await open(paths, { accept: () => false });
    refusing.start();
    await assert.rejects(refusing.failed, isCode("proposal-refused"));
    await refusing.close();
  });

  it("halts when the application throws, and goes on from there later", async () => {
    const paths = await createTestHome();
    for (const failing of ["PrepareProposal", "ProcessProposal", "FinalizeBlock", "Commit"]) {
      const onCall = (name: string): void => {
        if (name === failing) throw new Error("disk full");
      };
      const engine = await open(paths, { onCall });
      engine.start();
      await assert.rejects(engine.failed, isCode("app-error"));
      await engine.close();
      await runTo(paths, engine.latestHeight() + 2n);
    }
    const engine = await open(paths);
    checkChain(engine);
    await engine.close();
  });

  it("keeps time moving when the clock stands still or runs back", async () => {
    const paths = await createTestHome();
    let ms = 0n;
    const early = parseRfc3339("2026-01-02T03:04:06Z");
    const now = (): Timestamp => addNanos(early, -(ms++ * 1_000_000_000n));
    const engine = await open(paths, { now });
    try {
      engine.start();
      await reached(engine, 5n);
      checkChain(engine);
    } finally {
      await engine.close();
    }
  });

  it("closes at once while waiting and abandons an application that hangs", async () => {
    const paths = await createTestHome();
    const waiting = await open(paths, { blockIntervalMs: 60_000 });
    waiting.start();
    await reached(waiting, 1n);
    const begun = performance.now();
    await waiting.close();
    assert.ok(performance.now() - begun < 500);

    const app = createLedgerApp({ dir: paths.appDir });
    const hanging = { ...app, finalizeBlock: () => new Promise<never>(() => {}) };
    const called = Promise.withResolvers<void>();
    const engine = await createEmbeddedEngine({
      home: paths.home,
      app: {
        ...hanging,
        prepareProposal: (request) => {
          called.resolve();
          return app.prepareProposal(request);
        },
      },
      blockIntervalMs: 1,
      log: QUIET,
    });
    engine.start();
    await called.promise;
    const from = performance.now();
    await engine.close();
    assert.ok(performance.now() - from < 2_000);
    assert.ok((await runTo(paths, 3n)) >= 3n);
  });

  it("wakes before its time", async () => {
    const paths = await createTestHome();
    const engine = await open(paths, { blockIntervalMs: 60_000 });
    try {
      engine.start();
      await reached(engine, 1n);
      const waking = setInterval(() => engine.wake(), 1);
      await reached(engine, 3n).finally(() => clearInterval(waking));
    } finally {
      await engine.close();
    }
  });
});
