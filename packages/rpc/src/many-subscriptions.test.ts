import assert from "node:assert/strict";
import { once } from "node:events";
import { after, before, test } from "node:test";
import type { SharedMessage } from "@cairn/api";
import type { Address } from "viem";
import { mnemonicToAccount } from "viem/accounts";
import type { SyncStatus } from "./options.ts";
import { readSubscription } from "./subscription-kind.ts";
import { createSubscriptions, type SubscriptionsOptions } from "./subscriptions.ts";
import { type LiveNode, startLiveNode } from "./testing/live-node.ts";

const MNEMONIC = "test test test test test test test test test test test junk";
const erin = mnemonicToAccount(MNEMONIC, { addressIndex: 5 });
const nobody: Address = `0x${"ee".repeat(20)}`;
const CONNECTIONS = 10;
const PER_CONNECTION = 1_000;

let node: LiveNode;
let nonce = 0;
before(async () => {
  node = await startLiveNode({ automine: false });
});
after(async () => {
  assert.deepEqual(node.faults, []);
  await node.close();
});

async function send(): Promise<string> {
  const raw = await erin.signTransaction({
    ...{ type: "eip1559", chainId: 358_587, nonce: nonce++, to: nobody, gas: 21_000n },
    ...{ maxFeePerGas: 2_000_000_000n, maxPriorityFeePerGas: 1n },
  });
  const { result } = await node.rpc("eth_sendRawTransaction", raw);
  return String(result);
}

/** Notifications of one in-process connection. */
function collector(id = Symbol("connection")) {
  const seen: (string | SharedMessage)[] = [];
  const sink = {
    id,
    notify: (message: string | SharedMessage) => seen.push(message) > 0,
    cut: () => undefined,
    onClose: () => () => undefined,
  };
  const results = (count = seen.length) =>
    seen.slice(0, count).map((message) => {
      const text = typeof message === "string" ? message : message.head + Buffer.from(message.body) + message.tail;
      return JSON.parse(text).params.result;
    });
  return { sink, seen, results };
}

const kindOf = (name: string, options?: unknown) => readSubscription({ name, options, nullPowFields: false });
const caps: SubscriptionsOptions = { cap: 20_000, totalCap: 20_000, syncing: () => false };

/** Resolves when `count` notifications of subscriptions came; each must carry an id of the connection. */
async function subscribeMany(): Promise<{
  socket: WebSocket;
  heads: (count: number) => Promise<Map<string, string[]>>;
}> {
  const socket = new WebSocket(node.wsUrl);
  await once(socket, "open");
  const hashes = new Map<string, string[]>();
  let arrived = 0;
  let wake = (): void => undefined;
  const answered = Promise.withResolvers<void>();
  socket.addEventListener("message", ({ data }) => {
    const message = JSON.parse(String(data));
    if (Array.isArray(message)) {
      for (const { result } of message) hashes.set(result, []);
      answered.resolve();
      return;
    }
    hashes.get(message.params.subscription)?.push(message.params.result.hash);
    arrived++;
    wake();
  });
  const calls = Array.from({ length: PER_CONNECTION }, (_, id) => ({
    ...{ jsonrpc: "2.0", id, method: "eth_subscribe", params: ["newHeads"] },
  }));
  socket.send(JSON.stringify(calls));
  await answered.promise;
  const heads = async (count: number) => {
    while (arrived < count) {
      const { promise, resolve } = Promise.withResolvers<void>();
      wake = resolve;
      await promise;
    }
    return hashes;
  };
  return { socket, heads };
}

test(`${CONNECTIONS * PER_CONNECTION} subscriptions over ${CONNECTIONS} connections get every head once`, async () => {
  const peers = await Promise.all(Array.from({ length: CONNECTIONS }, subscribeMany));
  const blocks: string[] = [];
  for (let round = 0; round < 3; round++) {
    await node.produce();
    blocks.push(node.chain.head().hash);
  }
  for (const { socket, heads } of peers) {
    const seen = await heads(3 * PER_CONNECTION);
    assert.equal(seen.size, PER_CONNECTION);
    for (const hashes of seen.values()) assert.deepEqual(hashes, blocks);
    socket.close();
  }
});

test("a large result is made once for 10,000 subscriptions", async () => {
  const subscriptions = createSubscriptions(node.chain, caps);
  const peer = collector();
  const kind = kindOf("newHeads", { includeTransactions: true });
  for (let index = 0; index < 10_000; index++) subscriptions.subscribe(peer.sink, kind);
  for (let index = 0; index < 60; index++) await send();
  await node.produce();
  while (peer.seen.length < 10_000) await new Promise(setImmediate);
  const bodies = new Set(peer.seen.map((message) => (typeof message === "string" ? message : message.body)));
  assert.equal(bodies.size, 1);
  assert.equal(peer.results(1)[0].transactions.length, 60);
  subscriptions.close();
  assert.equal(subscriptions.size, 0);
});

test("transactionReceipts: of all transactions, or of those named", async () => {
  const subscriptions = createSubscriptions(node.chain, caps);
  const [all, some] = [collector(), collector()];
  const first = await send();
  const second = await send();
  subscriptions.subscribe(all.sink, kindOf("transactionReceipts"));
  subscriptions.subscribe(
    some.sink,
    kindOf("transactionReceipts", { transactionHashes: [second, `0x${"77".repeat(32)}`] }),
  );
  await node.produce();
  await node.produce();
  while (all.seen.length === 0 || some.seen.length === 0) await new Promise(setImmediate);
  const { result: receipts } = await node.rpc(
    "eth_getBlockReceipts",
    `0x${(node.chain.head().number - 1n).toString(16)}`,
  );
  assert.deepEqual(all.results(), [receipts]);
  const [[receipt]] = some.results();
  assert.equal(receipt.transactionHash, second);
  assert.notEqual(first, second);
  const many = Array.from({ length: 201 }, () => second);
  assert.throws(
    () => kindOf("transactionReceipts", { transactionHashes: many }),
    /exceed max number of transaction hashes/,
  );
  assert.throws(() => kindOf("transactionReceipts", { transactionHashes: ["0x1"] }), /invalid argument 1/);
  subscriptions.close();
});

test("syncing: the state at first, then its changes", async () => {
  let status: SyncStatus | false = { startingBlock: 0n, currentBlock: 5n, highestBlock: 300n };
  const subscriptions = createSubscriptions(node.chain, { ...caps, syncing: () => status });
  const peer = collector();
  subscriptions.subscribe(peer.sink, kindOf("syncing"));
  await node.produce();
  status = false;
  await node.produce();
  await node.produce();
  assert.deepEqual(peer.results(), [
    { syncing: true, status: { startingBlock: "0x0", currentBlock: "0x5", highestBlock: "0x12c" } },
    false,
  ]);
  subscriptions.close();
});

/** CPU time of this thread in each turn of the event loop until `stop`: what a call that comes in would wait for. */
function watchTurns() {
  const costsMs: number[] = [];
  let before = process.threadCpuUsage();
  let isOn = true;
  const look = (): void => {
    const { user, system } = process.threadCpuUsage(before);
    costsMs.push((user + system) / 1000);
    before = process.threadCpuUsage();
    if (isOn) setImmediate(look);
  };
  setImmediate(look);
  return {
    stop(): readonly number[] {
      isOn = false;
      return costsMs.sort((a, b) => a - b);
    },
  };
}

test("20,000 subscriptions to every log of a block: no turn of the event loop is long, calls are answered", async () => {
  const subscriptions = createSubscriptions(node.chain, caps);
  const peer = collector();
  let count = 0;
  const sink = { ...peer.sink, notify: () => ++count > 0 };
  const kind = kindOf("logs", {});
  for (let index = 0; index < 20_000; index++) subscriptions.subscribe(sink, kind);
  /** Init code that emits 100 logs. */
  const data = "0x60645b5f5fa06001900380600257";
  const raw = await erin.signTransaction({
    ...{ type: "eip1559", chainId: 358_587, nonce: nonce++, data, gas: 300_000n },
    ...{ maxFeePerGas: 2_000_000_000n, maxPriorityFeePerGas: 1n },
  });
  await node.rpc("eth_sendRawTransaction", raw);
  await node.produce();
  assert.ok(count > 0 && count < 2_000_000, `${count} at once`);
  const turns = watchTurns();
  let answered = 0;
  const number = `0x${node.chain.head().number.toString(16)}`;
  while (count < 2_000_000) {
    const { result } = await node.rpc("eth_blockNumber");
    assert.equal(result, number);
    answered++;
  }
  const costsMs = turns.stop();
  assert.ok(answered > 10, `${answered} calls answered while 2,000,000 notifications were made`);
  const p99 = costsMs[Math.floor(costsMs.length * 0.99)] ?? 0;
  assert.ok(p99 < 20, `of ${costsMs.length} turns one in a hundred took ${p99} ms`);
  subscriptions.close();
});
