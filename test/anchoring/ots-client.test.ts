/** The stock OpenTimestamps client verifies our files against our embedded regtest. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { type AnchorTransaction, createBitcoinRpc, createRegtest, type Regtest } from "@cairn/bitcoin-node";
import { buildOts, calendarAnswer, canonicalJson, type Receipt, verifyReceipt } from "@cairn/proofs";
import { CANONICAL_PROOF, settledReceipt } from "../../packages/proofs/src/testing/receipt-fixture.ts";
import { receiptOf, sendAnchor, testWallet } from "./anchored-batch.ts";
import { outsideTool } from "./outside-tool.ts";

const OTS = outsideTool("CAIRN_OTS", ".cache/cairn/venv-ots/bin/ots", ".cache/cairn/ots-0.7.2/bin/ots");
const skip = OTS === undefined ? "the OpenTimestamps client (opentimestamps-client 0.7.2) is not installed" : false;
const log = { debug() {}, info() {}, warn() {}, error() {} };

describe("stock ots client on the embedded regtest", { skip }, () => {
  const dir = mkdtempSync(join(tmpdir(), "cairn-ots-"));
  let node: Regtest;
  let receipt: Receipt;
  let anchor: AnchorTransaction;

  /** Exit code and everything printed. */
  async function ots(...args: readonly string[]): Promise<{ code: number; text: string }> {
    const options = ["--no-cache", "--btc-regtest", "--bitcoin-node", node.url, ...args];
    return new Promise((resolve) => {
      execFile(OTS ?? "ots", options, { timeout: 60_000 }, (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === "number" ? error.code : -1;
        resolve({ code, text: `${stdout}${stderr}` });
      });
    });
  }

  const verifyFile = (file: string, ...flags: readonly string[]) =>
    ots("--no-default-whitelist", ...flags, "verify", "-f", join(dir, "proof.bin"), file);

  function write(name: string, bytes: Uint8Array): string {
    const file = join(dir, name);
    writeFileSync(file, bytes);
    return file;
  }

  before(async () => {
    const secrets = { user: "cairn", password: "s3cret" };
    node = await createRegtest({ dir: join(dir, "node"), blockIntervalMs: 0, ...secrets, log });
    const coin = await node.fundAddress(testWallet().address, 1_000_000n);
    await node.mine(1);
    for (let i = 0; i < 5; i += 1) await node.fundAddress(testWallet().address, 10_000n);
    anchor = await sendAnchor(node, coin);
    await node.mine(2);
    receipt = await receiptOf(node, anchor);
    write("proof.bin", CANONICAL_PROOF);
  });

  after(async () => {
    await node.close();
    rmSync(dir, { recursive: true, force: true });
  });

  it("verifies a complete file from the proof bytes and from their digest", async () => {
    const file = write("proof.regtest.ots", buildOts({ receipt, canonicalProof: CANONICAL_PROOF }));
    const byFile = await verifyFile(file);
    assert.match(byFile.text, /Success! Bitcoin block 103 attests existence/);
    assert.equal(byFile.code, 0);
    const byDigest = await ots("--no-default-whitelist", "verify", "-d", receipt.leaf.proof_hash.slice(2), file);
    assert.equal(byDigest.code, 0, byDigest.text);
  });

  it("agrees with our own verification of the receipt", async () => {
    const rpc = createBitcoinRpc({ url: node.url });
    const height = receipt.anchor?.height ?? -1;
    const verification = verifyReceipt(canonicalJson(JSON.parse(JSON.stringify(receipt))), {
      validatorsHashes: [settledReceipt().validatorsHash],
      bitcoin: {
        kind: "node",
        genesisHash: (await rpc.getBlockHash(0)) ?? "",
        blockHash: await rpc.getBlockHash(height),
        tip: await rpc.getBlockCount(),
        minimumDepth: 2,
      },
    });
    assert.equal(verification.result, "proven");
  });

  it("refuses a wrong height, a height above the tip, and other bytes", async () => {
    const { anchor: mined } = receipt;
    assert.ok(mined !== null);
    for (const height of [102, 5000]) {
      const file = write(`height-${height}.ots`, buildOts({ receipt: { ...receipt, anchor: { ...mined, height } } }));
      const outcome = await verifyFile(file);
      assert.equal(outcome.code, 1, outcome.text);
      assert.doesNotMatch(outcome.text, /Traceback/);
    }
    const file = write("other.ots", buildOts({ receipt }));
    const other = await ots("--no-default-whitelist", "verify", "-f", write("other.bin", new Uint8Array(9)), file);
    assert.equal(other.code, 1);
  });

  it("upgrades a pending file from a calendar that answers as we do", async () => {
    const { anchor: mined } = receipt;
    assert.ok(mined !== null);
    const answers = new Map([
      [`/timestamp/${receipt.batch.commitment.slice(2)}`, calendarAnswer({ from: "batch", anchor: mined })],
    ]);
    const calendar = createServer((request, response) => {
      const answer = answers.get(request.url ?? "");
      response.writeHead(answer === undefined ? 404 : 200, { "content-type": "application/vnd.opentimestamps.v1" });
      response.end(answer ?? "Pending confirmation in Bitcoin blockchain");
    });
    await new Promise<void>((resolve) => calendar.listen(0, "127.0.0.1", resolve));
    try {
      const pendingUrl = `http://127.0.0.1:${(calendar.address() as AddressInfo).port}`;
      const file = write("pending.ots", buildOts({ receipt: { ...receipt, anchor: null }, pendingUrl }));
      const upgraded = await ots("-l", pendingUrl, "upgrade", file);
      assert.match(upgraded.text, /Success! Timestamp complete/);
      const verified = await verifyFile(file);
      assert.equal(verified.code, 0, verified.text);
    } finally {
      await new Promise((resolve) => calendar.close(resolve));
    }
  });

  it("no longer verifies after a reorg; the re-made file does", async () => {
    const old = write("old.ots", buildOts({ receipt }));
    const rpc = createBitcoinRpc({ url: node.url });
    const hash = await rpc.getBlockHash(receipt.anchor?.height ?? -1);
    await node.invalidateBlock(hash ?? "");
    await node.mine(1, { empty: true });
    await node.mine(2);
    assert.equal((await verifyFile(old)).code, 1);
    const moved = await receiptOf(node, anchor);
    assert.equal(moved.anchor?.height, 104);
    assert.equal((await verifyFile(write("moved.ots", buildOts({ receipt: moved })))).code, 0);
  });
});
