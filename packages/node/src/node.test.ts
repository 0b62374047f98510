import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { type Chain, createPublicClient, createWalletClient, defineChain, http, webSocket } from "viem";
import { mnemonicToAccount } from "viem/accounts";
import { resolveConfig } from "./config/resolve.ts";
import { initNodeHome } from "./init-node-home.ts";
import { loadNodeConfig } from "./load-config.ts";
import type { RunningNode } from "./start-node.ts";
import { createTestHome, eventually, startTestNode } from "./testing/test-home.ts";

const alice = mnemonicToAccount("test test test test test test test test test test test junk");
const CAROL = `0x${"cc".repeat(20)}` as const;

async function homeFor(t: TestContext) {
  const home = await createTestHome();
  t.after(() => home.close());
  return home;
}

function clientsOf(node: RunningNode) {
  const chain: Chain = defineChain({
    id: Number(node.evmChainId),
    name: "Cairn",
    nativeCurrency: { name: "Cairn", symbol: "CRN", decimals: 18 },
    rpcUrls: { default: { http: [node.jsonRpcUrl] } },
  });
  const transport = http(node.jsonRpcUrl);
  const reader = createPublicClient({ chain, transport, pollingInterval: 20 });
  return { chain, reader, wallet: createWalletClient({ chain, transport, account: alice }) };
}

async function call(url: string, method: string, params: unknown[] = [], authorization?: string) {
  const headers = { "content-type": "application/json", ...(authorization === undefined ? {} : { authorization }) };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const response = await fetch(url, { method: "POST", headers, body });
  const text = await response.text();
  return { status: response.status, reply: response.status === 200 ? JSON.parse(text) : undefined };
}

describe("node", () => {
  it("takes viem's transactions and serves receipts, heads and the consensus side of the same block", async (t) => {
    const home = await homeFor(t);
    const node = await home.start();
    const { chain, reader, wallet } = clientsOf(node);
    assert.equal(await reader.getChainId(), 358_587);
    const hash = await wallet.sendTransaction({ to: CAROL, value: 5n });
    const receipt = await reader.waitForTransactionReceipt({ hash });
    assert.equal(receipt.status, "success");
    assert.equal(await reader.getBalance({ address: CAROL }), 5n);

    const block = await reader.getBlock({ blockNumber: receipt.blockNumber });
    assert.equal(block.hash, receipt.blockHash);
    const next = await eventually(async () => {
      const response = await fetch(`${node.consensusRpcUrl}/block?height=${receipt.blockNumber + 1n}`);
      const { result } = JSON.parse(await response.text());
      return result?.block?.header;
    });
    assert.equal(next.app_hash.toLowerCase(), block.hash.slice(2));
    assert.equal(next.last_block_id.hash.toLowerCase(), block.extraData.slice(2));

    const socket = createPublicClient({ chain, transport: webSocket(node.jsonRpcWsUrl) });
    const seen = await new Promise<bigint>((resolve, reject) => {
      socket.watchBlockNumber({ onBlockNumber: resolve, onError: reject });
    });
    assert.ok(seen > receipt.blockNumber);
    (await socket.transport.getRpcClient()).close();
  });

  it("takes unprotected transactions and spells proof-of-work fields as app.toml says", async (t) => {
    const home = await homeFor(t);
    const unprotected = await alice.signTransaction({
      type: "legacy",
      nonce: 0,
      gas: 21_000n,
      gasPrice: 10n ** 10n,
      to: CAROL,
    });
    const strict = await home.start();
    const refused = await call(strict.jsonRpcUrl, "eth_sendRawTransaction", [unprotected]);
    assert.equal(refused.reply.error.message, "only replay-protected (EIP-155) transactions allowed over RPC");
    assert.equal(
      (await call(strict.jsonRpcUrl, "eth_getBlockByNumber", ["0x0", false])).reply.result.difficulty,
      "0x0",
    );
    assert.equal((await call(strict.jsonRpcUrl, "eth_syncing")).reply.result, false);
    await strict.close();
    const flags = { "json-rpc.allow-unprotected-txs": "true", "json-rpc.pow-fields": "null" };
    const open = await home.start({ config: await loadNodeConfig({ home: home.dir, flags }) });
    const { reader } = clientsOf(open);
    const { reply } = await call(open.jsonRpcUrl, "eth_sendRawTransaction", [unprotected]);
    assert.equal((await reader.waitForTransactionReceipt({ hash: reply.result })).status, "success");
    assert.equal((await call(open.jsonRpcUrl, "eth_getBlockByNumber", ["0x0", false])).reply.result.difficulty, null);
  });

  it("asks for the operator on private methods only, and refuses wrong tokens outright", async (t) => {
    const home = await homeFor(t);
    const node = await home.start();
    const url = node.jsonRpcUrl;
    const token = (await readFile(join(home.dir, "config/operator.token"), "utf8")).trim();
    assert.equal((await call(url, "miner_getHashrate")).reply.error.code, 4100);
    assert.equal((await call(url, "miner_getHashrate", [], `Bearer ${token}`)).reply.result, 0);
    assert.equal((await call(url, "eth_chainId", [], `Bearer ${token}`)).reply.result, "0x578bb");
    assert.equal((await call(url, "eth_chainId", [], "Bearer wrong")).status, 401);
    const secret = Buffer.from((await readFile(join(home.dir, "config/jwt.hex"), "utf8")).trim(), "hex");
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const body = `${part({ alg: "HS256", typ: "JWT" })}.${part({ iat: Math.floor(Date.now() / 1000) })}`;
    const jwt = `${body}.${createHmac("sha256", secret).update(body).digest("base64url")}`;
    assert.equal((await call(url, "miner_getHashrate", [], `Bearer ${jwt}`)).reply.result, 0);
    assert.equal((await stat(join(home.dir, "config/operator.token"))).mode & 0o077, 0);
  });

  it("keeps hashes, balances and nonces over a restart and goes on", async (t) => {
    const home = await homeFor(t);
    const first = await home.start();
    const before = clientsOf(first);
    const hash = await before.wallet.sendTransaction({ to: CAROL, value: 7n });
    const { blockHash, blockNumber } = await before.reader.waitForTransactionReceipt({ hash });
    const genesis = await before.reader.getBlock({ blockNumber: 0n });
    const startedMs = performance.now();
    await first.close();
    assert.ok(performance.now() - startedMs < 5_000, "closes within five seconds");

    const second = await home.start();
    const after = clientsOf(second);
    assert.equal((await after.reader.getBlock({ blockNumber: 0n })).hash, genesis.hash);
    assert.equal((await after.reader.getTransactionReceipt({ hash })).blockHash, blockHash);
    assert.equal(await after.reader.getTransactionCount({ address: alice.address }), 1);
    await eventually(async () => ((await after.reader.getBlockNumber()) > blockNumber + 2n ? true : undefined));
  });

  it("makes a block every interval", async (t) => {
    const home = await homeFor(t);
    const node = await home.start();
    const { reader } = clientsOf(node);
    const from = await reader.getBlockNumber();
    const startedMs = performance.now();
    await eventually(async () => ((await reader.getBlockNumber()) >= from + 10n ? true : undefined));
    assert.ok(performance.now() - startedMs > 300, "no faster than its interval");
  });

  it("names the flag of a taken port and leaves nothing open", async (t) => {
    const home = await homeFor(t);
    const other = await homeFor(t);
    const running = await home.start();
    const taken = { host: "127.0.0.1", port: Number(new URL(running.jsonRpcUrl).port) };
    const free = { host: "127.0.0.1", port: 0 };
    const flagged = (flag: string) => (error: unknown) =>
      error instanceof Error && "code" in error && error.code === "address-in-use" && error.message.includes(flag);
    await assert.rejects(
      startTestNode(other.dir, { jsonRpc: { http: taken, ws: free } }),
      flagged("--json-rpc.address"),
    );
    await assert.rejects(
      startTestNode(other.dir, { jsonRpc: { http: free, ws: taken } }),
      flagged("--json-rpc.ws-address"),
    );
    await assert.rejects(startTestNode(other.dir, { consensusRpc: taken }), flagged("--rpc.laddr"));
    const node = await other.start();
    assert.equal((await call(node.jsonRpcUrl, "eth_chainId")).status, 200);
  });

  it("refuses a home in use, a missing one and a second init", async (t) => {
    const home = await homeFor(t);
    await home.start();
    await assert.rejects(startTestNode(home.dir), { code: "locked" });
    await assert.rejects(initNodeHome({ home: home.dir }), { code: "home-exists" });
    await assert.rejects(startTestNode(join(home.dir, "absent")), { code: "unreadable" });
    const config = resolveConfig({});
    await assert.rejects(startTestNode(join(home.dir, "absent"), { config }), { code: "home-missing" });
  });

  it("runs a chain that funds nobody, with a chain id of its own", async (t) => {
    const home = await homeFor(t);
    const dir = join(home.dir, "other");
    const { consensusChainId, genesis } = await initNodeHome({ home: dir, evmChainId: 77n, minBaseFeeWei: 7n });
    assert.equal(consensusChainId, "cairn-77");
    assert.equal(genesis.allowUnprotectedTxs, false);
    const node = await startTestNode(dir);
    try {
      const { reader } = clientsOf(node);
      assert.equal(await reader.getChainId(), 77);
      await eventually(async () => ((await reader.getBlockNumber()) > 1n ? true : undefined));
      const { result } = JSON.parse(await (await fetch(`${node.consensusRpcUrl}/status`)).text());
      const validator = result.validator_info.address.toLowerCase();
      assert.equal((await reader.getBlock({ blockNumber: 1n })).miner, `0x${validator}`);
    } finally {
      await node.close();
    }
  });

  it("serves no JSON-RPC when it is switched off", async (t) => {
    const home = await homeFor(t);
    const config = await loadNodeConfig({ home: home.dir, flags: { "json-rpc.enable": "false" } });
    const node = await home.start({ config });
    assert.equal(node.jsonRpcUrl, "");
    assert.equal((await fetch(`${node.consensusRpcUrl}/status`)).status, 200);
  });
});
