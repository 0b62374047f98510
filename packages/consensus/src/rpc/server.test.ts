/** The RPC on a running engine, and the answers that no recording has. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { createEmbeddedEngine, type EmbeddedEngine } from "../engine.ts";
import { createLedgerApp } from "../test-support/ledger-app.ts";
import { createTestHome, QUIET, reached } from "../test-support/test-home.ts";
import { type ConsensusRpc, createConsensusRpc } from "./server.ts";

const transaction = (height: bigint): Uint8Array => Uint8Array.of(height % 2n === 0n ? 1 : 0xff, Number(height));
const hashOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

describe("consensus RPC", () => {
  let engine: EmbeddedEngine;
  let rpc: ConsensusRpc;
  before(async () => {
    const paths = await createTestHome();
    const app = createLedgerApp({ dir: paths.appDir, select: (height) => [transaction(height)] });
    engine = await createEmbeddedEngine({ home: paths.home, app, blockIntervalMs: 20, moniker: "m", log: QUIET });
    rpc = await createConsensusRpc({ engine, host: "127.0.0.1", port: 0, log: QUIET });
  });
  after(async () => {
    await rpc.close();
    await engine.close();
  });

  const get = async (path: string) => {
    const response = await fetch(rpc.url + path);
    return { status: response.status, text: await response.text() };
  };
  const result = async (path: string) => JSON.parse((await get(path)).text).result;
  const post = (body: string): Promise<Response> => fetch(rpc.url, { method: "POST", body });

  it("answers before the first block", async () => {
    const { sync_info: sync } = await result("/status");
    assert.deepEqual(
      [sync.latest_block_height, sync.latest_block_hash, sync.latest_block_time],
      ["0", "", "1970-01-01T00:00:00Z"],
    );
    assert.match((await get("/block?height=1")).text, /must be less than or equal to the current blockchain height 0/);
    assert.equal((await result("/validators")).block_height, "1");
  });

  it("shows a block, its commit and its transactions as soon as the block is told", async () => {
    const seen: Promise<unknown>[] = [];
    const stop = engine.onBlock(({ height, hash }) => {
      seen.push(
        Promise.all([result(`/commit?height=${height}`), result(`/tx?hash=0x${hashOf(transaction(height))}`)]).then(
          ([commit, tx]) => {
            assert.equal(commit.signed_header.commit.block_id.hash, Buffer.from(hash).toString("hex").toUpperCase());
            assert.equal(tx.height, String(height));
            assert.equal(tx.tx_result.code, height % 2n === 0n ? 0 : 1);
          },
        ),
      );
    });
    engine.start();
    await reached(engine, 5n);
    stop();
    assert.ok(seen.length >= 4);
    await Promise.all(seen);
  });

  it("escapes HTML and shows results as they were", async () => {
    const { text } = await get("/block_results?height=1");
    assert.match(text, /"log":"\\u003crefused\\u003e \\u0026 noted"/);
    const { txs_results: results, app_hash: appHash, finalize_block_events: events } = JSON.parse(text).result;
    assert.deepEqual([results.length, results[0].gas_wanted, results[0].codespace], [1, "21000", ""]);
    assert.equal(Buffer.from(appHash, "base64").length, 32);
    assert.deepEqual(events, [{ type: "ledger", attributes: [{ key: "height", value: "1", index: true }] }]);
  });

  it("names a route that is not served yet and answers 404 for any other", async () => {
    const { status, text } = await get("/block_search?query=x");
    assert.equal(status, 404);
    assert.deepEqual(JSON.parse(text).error, {
      code: -32601,
      message: "Method not found",
      data: "block_search is not served by the embedded engine yet",
    });
    const called = await (await post('{"id":1,"method":"check_tx","params":{}}')).json();
    assert.equal(JSON.parse(JSON.stringify(called)).error.code, -32601);
    for (const path of ["/nope", "/toString", "/__proto__", "/block/1"]) {
      assert.deepEqual(await get(path), { status: 404, text: "404 page not found\n" });
    }
    assert.match(await (await post('{"id":1,"method":"constructor","params":{}}')).text(), /-32601/);
  });

  it("asks the application", async () => {
    const { response: info } = await result("/abci_info");
    assert.deepEqual([info.data, info.app_version], ["ledger", "3"]);
    assert.ok(Number(info.last_block_height) >= 5);
    const { response } = await result("/abci_query?path=%22/x%22&data=0x01&height=2");
    assert.deepEqual([response.code, response.height, response.index, response.proofOps], [0, "2", "0", null]);
    for (const [byte, name] of ["sync", "async"].entries()) {
      const hash = hashOf(Uint8Array.of(1, byte)).toUpperCase();
      const expected = { code: 0, data: "", log: "", codespace: "", hash };
      const path = `/broadcast_tx_${name}?tx=0x010${byte}`;
      assert.deepEqual(await result(path), expected);
      assert.match(await (await fetch(`${rpc.url}${path}`)).text(), /"code":-32603.*"tx already exists in cache"/);
    }
  });

  it("bounds bodies, depth and batches", async () => {
    const large = await post(`${" ".repeat(1_000_000)}{}`);
    assert.equal(large.status, 400);
    assert.equal(large.headers.has("x-server-time"), false);
    assert.match(await large.text(), /-32600.*http: request body too large/);
    assert.match(await (await post("[".repeat(100_000))).text(), /-32700.*exceeded max depth/);
    assert.match(await (await post(`[${"{},".repeat(10)}{}]`)).text(), /exceeds maximum \(10\)/);
    assert.equal((await get("/health")).status, 200);
  });

  it("cuts number ids to integers and names one that is none", async () => {
    const idOf = async (id: string) => (await post(`{"id":${id},"method":"health"}`)).text();
    assert.equal(await idOf("1.7"), '{"jsonrpc":"2.0","id":1,"result":{}}');
    assert.equal(await idOf("1e30"), '{"jsonrpc":"2.0","id":-9223372036854775808,"result":{}}');
    assert.match(
      await idOf("1e400"),
      /-32700.*cannot unmarshal number 1e400 into Go struct field \.id of type float64/,
    );
  });

  it("never answers with a block that is not decided", async () => {
    const tip = engine.latestHeight();
    const { last_height: last, block_metas: metas } = await result("/blockchain?minHeight=1&maxHeight=1000");
    assert.ok(BigInt(last) >= tip);
    assert.equal(metas[0].header.height, last);
    assert.match((await get(`/block?height=${BigInt(last) + 1000n}`)).text, /must be less than/);
  });
});
