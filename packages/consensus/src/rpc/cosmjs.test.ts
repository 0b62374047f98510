/** cosmjs, the Cosmos field's client, against a running engine over HTTP and WebSocket. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { after, before, describe, it } from "node:test";
import { Worker } from "node:worker_threads";
import { connectComet } from "@cosmjs/tendermint-rpc";
import { createEmbeddedEngine, type EmbeddedEngine } from "../engine.ts";
import type { CosmjsRound } from "../test-support/cosmjs-peer.ts";
import { createLedgerApp } from "../test-support/ledger-app.ts";
import { createTestHome, QUIET, reached } from "../test-support/test-home.ts";
import { type ConsensusRpc, createConsensusRpc } from "./server.ts";

const transaction = (height: bigint): Uint8Array => Uint8Array.of(1, 2, Number(height));

describe("cosmjs", { timeout: 20_000 }, () => {
  let engine: EmbeddedEngine;
  let rpc: ConsensusRpc;
  before(async () => {
    const paths = await createTestHome();
    const app = createLedgerApp({ dir: paths.appDir, select: (height) => [transaction(height)] });
    engine = await createEmbeddedEngine({ home: paths.home, app, blockIntervalMs: 50, log: QUIET });
    rpc = await createConsensusRpc({ engine, host: "127.0.0.1", port: 0, log: QUIET });
    engine.start();
    await reached(engine, 3n);
  });
  after(async () => {
    await rpc.close();
    await engine.close();
  });

  it("reads the chain", async () => {
    const client = await connectComet(rpc.url);
    const status = await client.status();
    assert.equal(status.nodeInfo.network, "ledger-1");
    const { block, blockId } = await client.block(2);
    assert.deepEqual(block.txs, [transaction(2n)]);
    const { header, commit } = await client.commit(2);
    assert.equal(header.height, 2);
    assert.deepEqual(commit.blockId.hash, blockId.hash);
    const hash = createHash("sha256").update(transaction(2n)).digest();
    const found = await client.tx({ hash, prove: true });
    assert.equal(found.height, 2);
    assert.equal((await client.validatorsAll(2)).total, 1);
    assert.equal((await client.blockResults(2)).results.length, 1);
    assert.equal((await client.blockchain(1, 2)).blockMetas.length, 2);
    await client.genesis();
    await client.health();
    client.disconnect();
  });

  it("reads and subscribes over WebSocket, again and again", async (t) => {
    const file = new URL("../test-support/cosmjs-peer.ts", import.meta.url);
    const rounds = 10;
    const worker = new Worker(file, { workerData: { url: rpc.url.replace("http", "ws"), rounds } });
    t.after(() => worker.terminate());
    for (let round = 0; round < rounds; round++) {
      const [seen] = (await once(worker, "message")) as [CosmjsRound];
      assert.equal(seen.network, "ledger-1");
      assert.deepEqual(seen.txs, [transaction(2n)]);
      const [first = 0] = seen.heights;
      assert.deepEqual(seen.heights, [first, first + 1, first + 2]);
    }
  });
});
