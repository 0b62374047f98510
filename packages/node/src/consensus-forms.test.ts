/**
 * The forms of the specification's consensus RPC as they stand there: paths, bodies, subscriptions, over real sockets.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { describe, it, type TestContext } from "node:test";
import { WebSocket } from "ws";
import { createTestHome } from "./testing/test-home.ts";

interface Frame {
  readonly id: unknown;
  readonly result?: { readonly query?: string; readonly data?: { readonly type: string; readonly value: unknown } };
  readonly error?: { readonly data?: string };
}

async function started(t: TestContext): Promise<string> {
  const home = await createTestHome();
  t.after(() => home.close());
  return (await home.start()).consensusRpcUrl;
}

describe("the specification's forms on the consensus RPC", () => {
  it("subscriptions of every event it names", async (t) => {
    const url = await started(t);
    const socket = new WebSocket(`${url.replace("http", "ws")}/websocket`);
    t.after(() => socket.terminate());
    await once(socket, "open");
    const frames: Frame[] = [];
    let wake = (): void => undefined;
    socket.on("message", (data) => {
      frames.push(JSON.parse(String(data)));
      wake();
    });
    const frame = async (wanted: (frame: Frame) => boolean): Promise<Frame> => {
      for (;;) {
        const found = frames.find(wanted);
        if (found !== undefined) return found;
        const { promise, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        await promise;
      }
    };
    const ask = async (id: number | string, method: string, params: unknown): Promise<Frame> => {
      socket.send(JSON.stringify({ jsonrpc: "2.0", method, id, params }));
      return frame((each) => each.id === id);
    };

    assert.deepEqual((await ask(0, "subscribe", { query: "tm.event='NewBlock'" })).result, {});
    assert.deepEqual((await ask("heads", "subscribe", ["tm.event='NewBlockHeader'"])).result, {});
    const block = await frame(({ result }) => result?.data?.type === "tendermint/event/NewBlock");
    assert.equal(block.result?.query, "tm.event='NewBlock'");
    const header = await frame(({ result }) => result?.data?.type === "tendermint/event/NewBlockHeader");
    assert.equal(header.id, "heads");
    assert.deepEqual((await ask(3, "unsubscribe", { query: "tm.event='NewBlock'" })).result, {});
    assert.match((await ask(4, "unsubscribe", ["tm.event='NewBlock'"])).error?.data ?? "", /subscription not found/);
    for (const [index, event] of ["ValidatorSetUpdates", "BlockSyncStatus", "StateSyncStatus", "Tx"].entries()) {
      const recipient = event === "Tx" ? ` AND ethereum.recipient='0x${"ab".repeat(20)}'` : "";
      const { result, error } = await ask(10 + index, "subscribe", { query: `tm.event='${event}'${recipient}` });
      assert.deepEqual([result, error], [{}, undefined], event);
    }
  });

  it("GET with and without quotes, and POST", { timeout: 30_000 }, async (t) => {
    const url = await started(t);
    const get = async (path: string) => JSON.parse(await (await fetch(url + path)).text());
    while ((await get("/status")).result.sync_info.latest_block_height === "0");
    const plain = await get("/block?height=1");
    assert.equal(plain.result.block.header.height, "1");
    assert.deepEqual(await get('/block?height="1"'), plain);
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "block", params: { height: "1" } });
    const posted = await fetch(`${url}/`, { method: "POST", body, headers: { "content-type": "application/json" } });
    assert.deepEqual(JSON.parse(await posted.text()).result, plain.result);
    const hash = `0x${"12".repeat(32)}`;
    for (const query of [`"ethereum_tx.ethereumTxHash='${hash}'"`, `ethereum_tx.ethereumTxHash='${hash}'`]) {
      const rest = "prove=true&page=1&per_page=1&order_by=asc";
      const { result } = await get(`/tx_search?query=${encodeURIComponent(query)}&${rest}`);
      assert.deepEqual(result, { txs: [], total_count: "0" }, query);
    }
  });
});
