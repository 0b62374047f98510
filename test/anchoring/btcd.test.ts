/** btcd as an oracle: it accepts our regtest's chain block by block, and our client and wallet work on it. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { encodeHex } from "@cairn/bitcoin";
import {
  type AnchorTransaction,
  type BitcoinRpc,
  createBitcoinRpc,
  createRegtest,
  type Regtest,
} from "@cairn/bitcoin-node";
import { receiptOf, sendAnchor, testWallet } from "./anchored-batch.ts";
import { type Btcd, skipBtcd, startBtcd } from "./btcd-process.ts";

const log = { debug() {}, info() {}, warn() {}, error() {} };

describe("btcd on the embedded regtest's chain", { skip: skipBtcd }, () => {
  const dir = mkdtempSync(join(tmpdir(), "cairn-btcd-"));
  let node: Regtest;
  let btcd: Btcd;
  let ours: BitcoinRpc;
  let theirs: BitcoinRpc;
  let anchor: AnchorTransaction;

  async function handOver(from: number, to: number): Promise<void> {
    for (let height = from; height <= to; height += 1) {
      const block = await ours.getBlock((await ours.getBlockHash(height)) ?? "");
      const answer = await theirs.call("submitblock", [encodeHex(block ?? new Uint8Array())]);
      assert.equal(answer, null, `block ${height}: ${answer}`);
    }
  }

  before(async () => {
    node = await createRegtest({ dir: join(dir, "node"), blockIntervalMs: 0, user: "a", password: "b", log });
    ours = createBitcoinRpc({ url: node.url });
    btcd = await startBtcd({ dir, miningAddress: testWallet().address });
    theirs = btcd.rpc;
  });

  after(async () => {
    await btcd.stop();
    await node.close();
    rmSync(dir, { recursive: true, force: true });
  });

  it("has the same genesis and accepts every block, the anchor's among them", async () => {
    assert.equal(await theirs.getBlockHash(0), node.genesisHash);
    const coin = await node.fundAddress(testWallet().address, 1_000_000n);
    await node.mine(1);
    anchor = await sendAnchor(node, coin);
    await node.mine(30);
    await handOver(1, node.height());
    assert.equal(await theirs.getBlockCount(), node.height());
    assert.deepEqual(await theirs.getBlockchainInfo(), await ours.getBlockchainInfo());
    const known = await theirs.getRawTransaction(anchor.txid);
    assert.equal(known?.confirmations, 30);
    assert.deepEqual(known?.raw, anchor.rawTx);
    assert.deepEqual(await theirs.getTxOut(anchor.txid, 0), await ours.getTxOut(anchor.txid, 0));
  });

  it("follows our reorg", async () => {
    const forkHeight = node.height() - 1;
    await node.invalidateBlock((await ours.getBlockHash(forkHeight)) ?? "");
    await node.mine(4);
    await handOver(forkHeight, node.height());
    assert.equal(await theirs.getBlockHash(node.height()), node.bestBlockHash());
  });

  it("gives the client the same answers as our node", async () => {
    const next = testWallet().buildAnchor({ input: anchor.change, data: new Uint8Array(40).fill(9), feeSat: 400n });
    const conflict = testWallet().buildAnchor({ input: anchor.change, data: new Uint8Array(40).fill(8), feeSat: 401n });
    for (const rpc of [ours, theirs]) {
      assert.equal(await rpc.getBlockHash(100_000), null);
      assert.equal(await rpc.getBlockHeader("00".repeat(32)), null);
      assert.equal(await rpc.getBlock("00".repeat(32)), null);
      assert.equal(await rpc.getRawTransaction("11".repeat(32)), null);
      assert.equal(await rpc.getTxOut("11".repeat(32), 0), null);
      assert.equal(await rpc.getSpender(anchor.txid, 0), null);
      assert.deepEqual(await rpc.sendRawTransaction(next.rawTx), { ok: true, txid: next.txid });
      const again = await rpc.sendRawTransaction(next.rawTx);
      assert.ok(again.ok && again.txid === next.txid);
      assert.equal(await rpc.getSpender(anchor.txid, 0), next.txid);
      const refused = await rpc.sendRawTransaction(conflict.rawTx);
      assert.equal(refused.ok ? "ok" : refused.code, "rejected");
      const undecodable = await rpc.sendRawTransaction(Uint8Array.of(1, 2, 3));
      assert.equal(undecodable.ok ? "ok" : undecodable.code, "undecodable");
      assert.equal((await rpc.sendRawTransaction(anchor.rawTx)).ok, true);
    }
    await node.mine(1);
    await handOver(node.height(), node.height());
    for (const rpc of [ours, theirs]) {
      const late = await rpc.sendRawTransaction(conflict.rawTx);
      assert.equal(late.ok ? "ok" : late.code, "missing-inputs");
      assert.deepEqual(await rpc.sendRawTransaction(next.rawTx), { ok: true, txid: next.txid, already: "chain" });
    }
    assert.equal((await receiptOf(node, anchor)).anchor?.network, "regtest");
  });

  it("mines what our wallet signs", async () => {
    await theirs.call("generate", [100]);
    const info = await theirs.getBlockchainInfo();
    const hash = (await theirs.getBlockHash(info.blocks - 99)) ?? "";
    const block = (await theirs.call("getblock", [hash, 1])) as { tx: string[] };
    const txid = block.tx[0] ?? "";
    const out = await theirs.getTxOut(txid, 0);
    const input = { txid, vout: 0, valueSat: out?.valueSat ?? 0n };
    const spend = testWallet().buildAnchor({ input, data: new Uint8Array(40).fill(3), feeSat: 1000n });
    assert.deepEqual(await theirs.sendRawTransaction(spend.rawTx), { ok: true, txid: spend.txid });
    await theirs.call("generate", [1]);
    assert.equal((await theirs.getRawTransaction(spend.txid))?.confirmations, 1);
  });
});
