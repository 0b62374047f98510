import assert from "node:assert/strict";
import { once } from "node:events";
import { after, before, test } from "node:test";
import { WebSocketProvider } from "ethers";
import { type Address, createPublicClient, type Hex, webSocket } from "viem";
import { mnemonicToAccount } from "viem/accounts";
import { type LiveNode, startLiveNode } from "./testing/live-node.ts";

const MNEMONIC = "test test test test test test test test test test test junk";
const dave = mnemonicToAccount(MNEMONIC, { addressIndex: 4 });
const nobody: Address = `0x${"ee".repeat(20)}`;
/** Init code that logs one topic (0x01) with no data. */
const LOGGING_INIT: Hex = "0x60015f5fa1";

let node: LiveNode;
let nonce = 0;
before(async () => {
  node = await startLiveNode({ automine: false });
});
after(async () => {
  assert.deepEqual(node.faults, []);
  await node.close();
});

async function send(data?: Hex): Promise<Hex> {
  const fees = { maxFeePerGas: 2_000_000_000n, maxPriorityFeePerGas: 1n };
  const what = data === undefined ? { to: nobody } : { data };
  const raw = await dave.signTransaction({
    type: "eip1559",
    chainId: 358_587,
    nonce: nonce++,
    gas: 100_000n,
    ...fees,
    ...what,
  });
  const { result } = await node.rpc("eth_sendRawTransaction", raw);
  return result as Hex;
}

interface Peer {
  readonly socket: WebSocket;
  call(method: string, ...params: unknown[]): Promise<{ result?: unknown; error?: { code: number } }>;
  /** Resolves with the next `count` notifications' results of a subscription. */
  next(subscription: unknown, count?: number): Promise<Record<string, unknown>[]>;
}

async function connect(): Promise<Peer> {
  const socket = new WebSocket(node.wsUrl);
  await once(socket, "open");
  const replies = new Map<number, (reply: object) => void>();
  const arrived = new Map<unknown, unknown[]>();
  const waiting = new Set<() => void>();
  let id = 0;
  socket.addEventListener("message", ({ data }) => {
    const message = JSON.parse(String(data));
    if (message.method === "eth_subscription") {
      const { subscription, result } = message.params;
      arrived.set(subscription, [...(arrived.get(subscription) ?? []), result]);
      for (const check of waiting) check();
    } else replies.get(message.id)?.(message);
  });
  return {
    socket,
    call(method, ...params) {
      const { promise, resolve } = Promise.withResolvers<object>();
      replies.set(++id, resolve);
      socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
      return promise;
    },
    next(subscription, count = 1) {
      const { promise, resolve } = Promise.withResolvers<Record<string, unknown>[]>();
      const check = (): void => {
        const all = arrived.get(subscription) ?? [];
        if (all.length < count) return;
        waiting.delete(check);
        arrived.set(subscription, all.slice(count));
        resolve(all.slice(0, count) as Record<string, unknown>[]);
      };
      waiting.add(check);
      check();
      return promise;
    },
  };
}

test("newHeads, with and without transactions, in order", async () => {
  const peer = await connect();
  const { result: plain } = await peer.call("eth_subscribe", "newHeads", {});
  const { result: full } = await peer.call("eth_subscribe", "newHeads", { includeTransactions: true });
  assert.match(String(plain), /^0x[1-9a-f][0-9a-f]{31}$/);
  const hash = await send();
  await node.produce();
  await node.produce();
  const heads = await peer.next(plain, 2);
  const blocks = await peer.next(full, 2);
  assert.deepEqual(
    heads.map((head) => head.hash),
    blocks.map((block) => block.hash),
  );
  assert.equal(heads[1]?.parentHash, heads[0]?.hash);
  assert.equal("transactions" in (heads[0] ?? {}), false);
  const transactions = blocks[0]?.transactions as { hash: string }[];
  assert.deepEqual(
    transactions.map((tx) => tx.hash),
    [hash],
  );
  const { result: header } = await node.rpc("eth_getHeaderByHash", heads[0]?.hash);
  assert.deepEqual(heads[0], header);
  peer.socket.close();
});

test("logs by topic, pending transactions as hashes and objects", async () => {
  const peer = await connect();
  const topic = `0x${"0".repeat(63)}1`;
  const { result: matching } = await peer.call("eth_subscribe", "logs", { topics: [topic] });
  const { result: others } = await peer.call("eth_subscribe", "logs", { topics: [[`0x${"0".repeat(64)}`]] });
  const { result: hashes } = await peer.call("eth_subscribe", "newPendingTransactions");
  const { result: objects } = await peer.call("eth_subscribe", "newPendingTransactions", true);
  const hash = await send(LOGGING_INIT);
  assert.deepEqual(await peer.next(hashes), [hash]);
  assert.equal((await peer.next(objects))[0]?.hash, hash);
  await node.produce();
  const [log] = await peer.next(matching);
  assert.equal(log?.transactionHash, hash);
  const { result: found } = await node.rpc("eth_getLogs", { topics: [topic] });
  assert.deepEqual(found, [log]);
  const ended = await peer.call("eth_unsubscribe", others);
  assert.equal(ended.result, true);
  assert.equal((await peer.call("eth_unsubscribe", others)).result, false);
  peer.socket.close();
});

test("what the log subscriptions of a connection name is bounded, and room comes back", async () => {
  const peer = await connect();
  const address = Array.from({ length: 1_000 }, (_, index) => `0x${index.toString(16).padStart(40, "0")}`);
  const subscribe = () => peer.call("eth_subscribe", "logs", { address });
  const replies = await Promise.all(Array.from({ length: 50 }, subscribe));
  assert.ok(replies.every(({ error }) => error === undefined));
  assert.equal((await subscribe()).error?.code, -32005);
  assert.equal((await peer.call("eth_subscribe", "logs")).error, undefined);
  await peer.call("eth_unsubscribe", replies[0]?.result);
  assert.equal((await subscribe()).error, undefined);
  peer.socket.close();
});

test("a subscription belongs to its connection and ends with it", async () => {
  const owner = await connect();
  const stranger = await connect();
  const { result: id } = await owner.call("eth_subscribe", "newHeads");
  assert.equal((await stranger.call("eth_unsubscribe", id)).result, false);
  assert.equal((await owner.call("eth_subscribe", "nonsense")).error?.code, -32601);
  assert.equal((await owner.call("eth_subscribe", "newHeads", 5)).error?.code, -32602);
  assert.equal((await owner.call("eth_subscribe", "logs", { topics: "x" })).error?.code, -32602);
  owner.socket.close();
  await node.produce();
  assert.equal((await stranger.call("eth_chainId")).result, "0x578bb");
  stranger.socket.close();
});

test("viem and ethers follow newHeads", async () => {
  const client = createPublicClient({ transport: webSocket(node.wsUrl) });
  const seen = Promise.withResolvers<Hex | null>();
  const started = await client.transport.subscribe({
    params: ["newHeads"],
    onData: ({ result }) => seen.resolve(result.hash),
    onError: seen.reject,
  });
  const provider = new WebSocketProvider(node.wsUrl);
  const number = Promise.withResolvers<number>();
  await provider.on("block", number.resolve);
  await provider.getBlockNumber();
  // ethers subscribes asynchronously: blocks go on until it has seen one.
  const timer = setInterval(() => void node.produce(), 50);
  const height = BigInt(await number.promise);
  assert.ok(height > 0n && height <= node.chain.head().number);
  clearInterval(timer);
  assert.match(String(await seen.promise), /^0x[0-9a-f]{64}$/);
  await started.unsubscribe();
  await provider.destroy();
  (await client.transport.getRpcClient()).close();
});
