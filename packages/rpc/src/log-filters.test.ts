import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import type { Hex } from "viem";
import { mnemonicToAccount } from "viem/accounts";
import { startLiveNode } from "./testing/live-node.ts";

const MNEMONIC = "test test test test test test test test test test test junk";
const grace = mnemonicToAccount(MNEMONIC, { addressIndex: 6 });

test("a log filter answers everything once, in portions when there is too much for one answer", async (t) => {
  const node = await startLiveNode({ automine: false, logsCap: 5 });
  t.after(() => node.close());
  const ok = async (method: string, ...params: unknown[]) => {
    const { result, error } = await node.rpc(method, ...params);
    assert.equal(error, undefined, `${method}: ${error?.message}`);
    return result;
  };
  /** A block with so many logs, each of no topics and no data. */
  const emit = async (count: number) => {
    const nonce = Number(await ok("eth_getTransactionCount", grace.address, "pending"));
    const fees = { maxFeePerGas: 3_000_000_000n, maxPriorityFeePerGas: 1n };
    const data: Hex = `0x${"5f5fa0".repeat(count)}`;
    const tx = { type: "eip1559", chainId: 358_587, nonce, gas: 200_000n, data, ...fees } as const;
    await ok("eth_sendRawTransaction", await grace.signTransaction(tx));
    await node.produce();
  };
  const id = await ok("eth_newFilter", {});
  const poll = async () =>
    ((await ok("eth_getFilterChanges", id)) as { blockNumber: Hex }[]).map((log) => Number(log.blockNumber));
  assert.deepEqual(await poll(), []);
  await emit(2);
  assert.deepEqual(await poll(), [1, 1]);
  assert.deepEqual(await poll(), []);
  for (const count of [3, 1, 2, 4]) await emit(count);
  const seen: number[] = [];
  for (let portion = await poll(); portion.length > 0; portion = await poll()) {
    assert.ok(portion.length <= 5);
    seen.push(...portion);
  }
  assert.deepEqual(seen, [2, 2, 2, 3, 4, 4, 5, 5, 5, 5]);

  await emit(6);
  await emit(1);
  const { error } = await node.rpc("eth_getFilterChanges", id);
  assert.deepEqual([error?.code, error?.message], [-32005, "query returned more than 5 results"]);
  assert.deepEqual(await poll(), [7]);
  assert.deepEqual(await poll(), []);
  assert.deepEqual(node.faults, []);
});

test("one WebSocket connection cannot take the filters of all", async (t) => {
  const node = await startLiveNode({ automine: false });
  t.after(() => node.close());
  const socket = new WebSocket(node.wsUrl);
  await once(socket, "open");
  const calls = Array.from({ length: 251 }, (_, id) => ({
    jsonrpc: "2.0",
    id,
    method: "eth_newBlockFilter",
    params: [],
  }));
  socket.send(JSON.stringify(calls));
  const [{ data }] = (await once(socket, "message")) as [MessageEvent];
  const replies = JSON.parse(String(data)) as { result?: Hex; error?: { code: number; message: string } }[];
  assert.equal(replies.filter(({ result }) => result !== undefined).length, 250);
  assert.deepEqual(replies.at(-1)?.error, { code: -32005, message: "too many filters: at most 250" });
  assert.equal((await node.rpc("eth_newBlockFilter")).error, undefined);
  socket.close();
});
