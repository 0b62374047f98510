/** The whole sandbox anchoring on a real btcd: coins found by its address index, blocks checked, a node that changes. */
import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { createAnchorWallet, createChainView, findCoins } from "@cairn/bitcoin-node";
import { createServiceClient, verifyReceipt } from "@cairn/sdk";
import { freeOffset, runCairn, type SandboxProcess, startSandbox, temporaryHome } from "../e2e/cairn-process.ts";
import { until } from "../e2e/until.ts";
import { type Btcd, skipBtcd, startBtcd } from "./btcd-process.ts";

const SECRET = new Uint8Array(32).map((_, i) => i * 7 + 3);
const wallet = createAnchorWallet({ privateKey: SECRET, network: "regtest" });
const COMMITMENT = JSON.stringify({ system: "commitment", value: `0x${"5a".repeat(32)}` });

describe("cairn sandbox --bitcoin on btcd", { skip: skipBtcd, timeout: 180_000 }, () => {
  const home = temporaryHome();
  let btcd: Btcd;
  let sandbox: SandboxProcess;

  before(async () => {
    btcd = await startBtcd({ dir: join(home, "outside"), miningAddress: wallet.address });
    await btcd.rpc.call("generate", [103]);
    mkdirSync(join(home, "service"), { recursive: true });
    writeFileSync(join(home, "service/anchor.key"), `0x${Buffer.from(SECRET).toString("hex")}\n`, { mode: 0o600 });
    sandbox = await startSandbox({ home, args: ["--bitcoin", "regtest", "--bitcoin-rpc", btcd.url] });
  });

  after(async () => {
    await sandbox.stop();
    await btcd.stop();
    rmSync(home, { recursive: true, force: true });
  });

  const client = () =>
    createServiceClient({ url: sandbox.ready.service_url, token: sandbox.ready.service_token, timeoutMs: 30_000 });

  it("finds only mature coins of its wallet, without a wallet in the node", async () => {
    const { address, scriptPubKey } = wallet;
    const coins = await findCoins({ rpc: btcd.rpc, address, scriptPubKey, configured: [] });
    assert.ok(coins.length >= 3 && coins.length <= 4, `${coins.length} of 103 coinbases are mature`);
    const view = createChainView({ nodes: [btcd.rpc], network: "regtest", checkDepth: 2 });
    assert.equal(await view.tip(), 103);
    assert.ok((await view.block((await view.blockHash(50)) ?? "")) !== null);
  });

  it("anchors there: the receipt is proven with btcd's best chain", async () => {
    const { id } = await client().submitProof({ proof_data: COMMITMENT, chain_id: "btcd" });
    await until("the anchor is in btcd's mempool", async () => {
      const [anchor] = (await client().anchors()).items;
      return anchor !== undefined && (await btcd.rpc.getRawTransaction(anchor.txid)) !== null;
    });
    await btcd.rpc.call("generate", [3]);
    await until("it is final", async () => (await client().getProof(id)).state === "final", 60_000);
    const text = await client().receiptText(id);
    assert.equal((await verifyReceipt(text, {})).result, "untrusted");
    assert.equal(JSON.parse(text).anchor.network, "regtest");
    writeFileSync(join(home, "receipt.json"), text);
    const genesis = join(home, "config/genesis.json");
    const trust = ["--trust", genesis, "--bitcoin-node", btcd.url];
    const verified = await runCairn(["verify", join(home, "receipt.json"), ...trust]);
    assert.equal(verified.code, 0, verified.stdout + verified.stderr);
  });

  it("a node that comes back with another chain does no harm: it waits, says so, and takes submissions", async () => {
    const { port } = new URL(btcd.url);
    await btcd.stop();
    const { id } = await client().submitProof({ proof_data: `${COMMITMENT} `, chain_id: "btcd" });
    await until("not ready", async () => (await fetch(`${sandbox.ready.service_url}/readyz`)).status === 503);
    btcd = await startBtcd({ dir: join(home, "outside"), miningAddress: wallet.address, port: Number(port) });
    await btcd.rpc.call("generate", [2]);
    await until("it is settled meanwhile", async () => (await client().getProof(id)).state === "settled");
    assert.equal(sandbox.child.exitCode, null);
  });
});

describe("a Bitcoin node on another network", { skip: skipBtcd }, () => {
  it("is refused by name, and the service stops", async (t) => {
    const home = temporaryHome();
    const btcd = await startBtcd({ dir: home, miningAddress: wallet.address });
    t.after(async () => {
      await btcd.stop();
      rmSync(home, { recursive: true, force: true });
    });
    const wrong = ["--bitcoin", "signet", "--bitcoin-rpc", btcd.url];
    const offset = `${await freeOffset()}`;
    const ended = await runCairn(["sandbox", "--home", join(home, "sandbox"), "--port-offset", offset, ...wrong]);
    assert.equal(ended.code, 1);
    assert.match(ended.stderr, /not on signet: its block 0 is 0f9188f1/);
  });
});

describe("the flags of a Bitcoin network", () => {
  it("need each other", async () => {
    const unnamed = await runCairn(["sandbox", "--ephemeral", "--bitcoin-rpc", "http://127.0.0.1:1"]);
    assert.deepEqual([unnamed.code, /needs --bitcoin\b/.test(unnamed.stderr)], [2, true]);
    const nodeless = await runCairn(["sandbox", "--ephemeral", "--bitcoin", "testnet4"]);
    assert.deepEqual([nodeless.code, /needs --bitcoin-rpc/.test(nodeless.stderr)], [2, true]);
  });
});
