/** The consensus side finds and tells Ethereum transactions: searches and subscriptions of the specification. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { describe, it, type TestContext } from "node:test";
import { createPublicClient, createWalletClient, defineChain, getAddress, http, keccak256 } from "viem";
import { mnemonicToAccount } from "viem/accounts";
import { WebSocket } from "ws";
import { createTestHome } from "./testing/test-home.ts";

const alice = mnemonicToAccount("test test test test test test test test test test test junk");
const CAROL = `0x${"cd".repeat(20)}` as const;

/** What a push told, and what a search for its hash found at that instant. */
interface Told {
  readonly hash: string;
  readonly event: string;
  readonly found: Promise<string[]>;
}

/** Consensus hashes of the transactions that a query finds. */
async function search(url: string, query: string): Promise<string[]> {
  const response = await fetch(`${url}/tx_search?query=${encodeURIComponent(query)}&prove=true`);
  const { result } = JSON.parse(await response.text());
  return result.txs.map(({ hash }: { hash: string }) => hash);
}

/** Subscribes to every query; `told` resolves with the first push of each. */
async function subscribe(socket: WebSocket, url: string, queries: readonly string[]) {
  const pushes: Told[] = [];
  const { promise: told, resolve } = Promise.withResolvers<readonly Told[]>();
  socket.on("message", (data) => {
    const { result } = JSON.parse(String(data));
    if (result?.data === undefined) return;
    const [event] = result.events["ethereum_tx.ethereumTxHash"];
    const [hash] = result.events["tx.hash"];
    pushes.push({ hash, event, found: search(url, `"tx.hash='${hash}'"`) });
    if (pushes.length === queries.length) resolve(pushes);
  });
  for (const [id, query] of queries.entries()) {
    const params = id === 0 ? [query] : { query };
    socket.send(JSON.stringify({ jsonrpc: "2.0", id, method: "subscribe", params }));
    await once(socket, "message");
  }
  return { told };
}

async function started(t: TestContext) {
  const home = await createTestHome();
  t.after(() => home.close());
  const node = await home.start();
  const chain = defineChain({
    id: Number(node.evmChainId),
    name: "Cairn",
    nativeCurrency: { name: "Cairn", symbol: "CRN", decimals: 18 },
    rpcUrls: { default: { http: [node.jsonRpcUrl] } },
  });
  const transport = http(node.jsonRpcUrl);
  return {
    url: node.consensusRpcUrl,
    wallet: createWalletClient({ chain, transport, account: alice }),
    reader: createPublicClient({ chain, transport }),
  };
}

describe("Ethereum transactions on the consensus RPC", () => {
  it("are told to subscribers and found at that instant, by hash, recipient and sender", async (t) => {
    const { url, wallet, reader } = await started(t);
    const socket = new WebSocket(`${url.replace("http", "ws")}/websocket`);
    t.after(() => socket.terminate());
    await once(socket, "open");
    const { told } = await subscribe(socket, url, [
      `tm.event='Tx' AND ethereum.recipient='${CAROL}'`,
      `tm.event='Tx' AND ethereum_tx.recipient='${getAddress(CAROL)}'`,
      `tm.event='Tx' AND message.sender='${alice.address}'`,
    ]);
    const hash = await wallet.sendTransaction({ to: CAROL, value: 5n });
    const pushes = await told;
    const [{ hash: consensusHash } = { hash: "" }] = pushes;
    for (const push of pushes) {
      assert.equal(push.event, hash);
      assert.deepEqual(await push.found, [consensusHash]);
    }
    const receipt = await reader.waitForTransactionReceipt({ hash });
    for (const query of [
      `ethereum_tx.ethereumTxHash=${hash}`,
      `"ethereum_tx.ethereumTxHash='${hash}'"`,
      `ethereum.ethereumTxHash='${hash}'`,
      `"ethereum.recipient='${CAROL}'"`,
      `"ethereum.recipient='${getAddress(CAROL)}' AND tx.height=${receipt.blockNumber}"`,
      `"message.sender='${alice.address.toLowerCase()}' AND message.module='evm'"`,
      `"tx.height=${receipt.blockNumber}"`,
    ]) {
      assert.deepEqual(await search(url, query), [consensusHash], query);
    }
  });

  it("are taken raw; what is not there is not found", async (t) => {
    const { url, wallet, reader } = await started(t);
    const raw = await wallet.signTransaction(
      await wallet.prepareTransactionRequest({ account: alice, to: CAROL, value: 7n }),
    );
    const reply = await fetch(`${url}/broadcast_tx_sync?tx=${raw}`);
    assert.equal(JSON.parse(await reply.text()).result.code, 0);
    const sent = await reader.waitForTransactionReceipt({ hash: keccak256(raw) });
    assert.equal(sent.status, "success");
    assert.deepEqual(await search(url, `ethereum_tx.ethereumTxHash=0x${"00".repeat(32)}`), []);
    assert.deepEqual(await search(url, `"ethereum.recipient='${CAROL.toUpperCase()}'"`), []);
  });
});
