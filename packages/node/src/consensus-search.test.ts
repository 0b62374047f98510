/** The consensus side finds and tells Ethereum transactions: searches and subscriptions of the specification. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { describe, it } from "node:test";
import { createPublicClient, createWalletClient, defineChain, getAddress, http, keccak256 } from "viem";
import { mnemonicToAccount } from "viem/accounts";
import { WebSocket } from "ws";
import { createTestHome } from "./testing/test-home.ts";

const alice = mnemonicToAccount("test test test test test test test test test test test junk");
const CAROL = `0x${"cd".repeat(20)}` as const;

describe("Ethereum transactions on the consensus RPC", () => {
  it("are told to subscribers and found at that instant, by hash, recipient and sender", async (t) => {
    const home = await createTestHome();
    t.after(() => home.close());
    const node = await home.start();
    const chain = defineChain({
      id: Number(node.evmChainId),
      name: "Cairn",
      nativeCurrency: { name: "Cairn", symbol: "CRN", decimals: 18 },
      rpcUrls: { default: { http: [node.jsonRpcUrl] } },
    });
    const wallet = createWalletClient({ chain, transport: http(node.jsonRpcUrl), account: alice });
    const reader = createPublicClient({ chain, transport: http(node.jsonRpcUrl) });
    const socket = new WebSocket(`${node.consensusRpcUrl.replace("http", "ws")}/websocket`);
    t.after(() => socket.terminate());
    await once(socket, "open");
    const search = async (query: string) => {
      const response = await fetch(`${node.consensusRpcUrl}/tx_search?query=${encodeURIComponent(query)}&prove=true`);
      const { result } = JSON.parse(await response.text());
      return result.txs.map(({ hash }: { hash: string }) => hash);
    };
    const pushes: { id: number; hash: string; event: string; found: Promise<string[]> }[] = [];
    const { promise: told, resolve } = Promise.withResolvers<void>();
    socket.on("message", (data) => {
      const { id, result } = JSON.parse(String(data));
      if (result?.data === undefined) return;
      const [event] = result.events["ethereum_tx.ethereumTxHash"];
      const [hash] = result.events["tx.hash"];
      pushes.push({ id, hash, event, found: search(`"tx.hash='${hash}'"`) });
      if (pushes.length === 3) resolve();
    });
    for (const [id, query] of [
      `tm.event='Tx' AND ethereum.recipient='${CAROL}'`,
      `tm.event='Tx' AND ethereum_tx.recipient='${getAddress(CAROL)}'`,
      `tm.event='Tx' AND message.sender='${alice.address}'`,
    ].entries()) {
      const params = id === 0 ? [query] : { query };
      socket.send(JSON.stringify({ jsonrpc: "2.0", id, method: "subscribe", params }));
      await once(socket, "message");
    }
    const hash = await wallet.sendTransaction({ to: CAROL, value: 5n });
    await told;
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
      assert.deepEqual(await search(query), [consensusHash], query);
    }
    const raw = await wallet.signTransaction(
      await wallet.prepareTransactionRequest({ account: alice, to: CAROL, value: 7n }),
    );
    const reply = await fetch(`${node.consensusRpcUrl}/broadcast_tx_sync?tx=${raw}`);
    assert.equal(JSON.parse(await reply.text()).result.code, 0);
    const sent = await reader.waitForTransactionReceipt({ hash: keccak256(raw) });
    assert.equal(sent.status, "success");
    assert.deepEqual(await search(`ethereum_tx.ethereumTxHash=0x${"00".repeat(32)}`), []);
    assert.deepEqual(await search(`"ethereum.recipient='${CAROL.toUpperCase()}'"`), []);
  });
});
