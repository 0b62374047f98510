/** What the embedded node told of is still there after a restart and after a kill. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { createBitcoinRpc, createRegtest, NoRegtestError } from "../index.ts";
import { fundedCoin, openRegtest, SILENT, testWallet } from "../testing/regtest-fixture.ts";

const wallet = testWallet();
const data = new Uint8Array(40).fill(1);

describe("durability", () => {
  it("keeps chain and mempool over a restart", async () => {
    const dir = mkdtempSync(join(tmpdir(), "cairn-regtest-"));
    const node = await openRegtest(dir);
    const anchor = wallet.buildAnchor({ input: await fundedCoin(node), data, feeSat: 500n });
    await createBitcoinRpc({ url: node.url }).sendRawTransaction(anchor.rawTx);
    const tip = node.bestBlockHash();
    await node.close();
    const again = await openRegtest(dir);
    assert.equal(again.bestBlockHash(), tip);
    assert.deepEqual(await createBitcoinRpc({ url: again.url }).call("getrawmempool"), [anchor.txid]);
    await again.close();
    rmSync(dir, { recursive: true, force: true });
  });

  it("makes no chain where one must be already", async () => {
    const dir = mkdtempSync(join(tmpdir(), "cairn-regtest-"));
    const options = { mustExist: true, blockIntervalMs: 0, user: "u", password: "p", log: SILENT };
    const absent = join(dir, "absent");
    for (const empty of [dir, absent]) await assert.rejects(createRegtest({ ...options, dir: empty }), NoRegtestError);
    assert.deepEqual(readdirSync(dir), []);
    await (await openRegtest(dir)).close();
    const node = await createRegtest({ ...options, dir });
    assert.equal(node.height(), 101);
    await node.close();
    rmSync(dir, { recursive: true, force: true });
  });

  it("goes on mining when the clock stands hours behind the chain", async () => {
    const dir = mkdtempSync(join(tmpdir(), "cairn-regtest-"));
    await (await openRegtest(dir)).close();
    const now = (): number => Date.now() - 86_400_000;
    const node = await createRegtest({ dir, blockIntervalMs: 0, user: "u", password: "p", log: SILENT, now });
    await node.mine(30);
    assert.equal(node.height(), 131);
    await node.close();
    rmSync(dir, { recursive: true, force: true });
  });

  it("keeps every block and transaction it told of when it is killed", async () => {
    const dir = mkdtempSync(join(tmpdir(), "cairn-regtest-"));
    for (let round = 0; round < 3; round += 1) {
      const { child, url } = await startChild(dir);
      const rpc = createBitcoinRpc({ url });
      const height = await rpc.getBlockCount();
      while ((await rpc.getBlockCount()) < height + 5) await new Promise((resolve) => setTimeout(resolve, 5));
      const told = await rpc.getBlockchainInfo();
      const gone = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGKILL");
      await gone;
      const node = await openRegtest(dir);
      assert.ok(node.height() >= told.blocks);
      assert.equal(await createBitcoinRpc({ url: node.url }).getBlockHash(told.blocks), told.bestBlockHash);
      await node.close();
    }
    rmSync(dir, { recursive: true, force: true });
  });
});

async function startChild(dir: string) {
  const script = fileURLToPath(new URL("../testing/regtest-process.ts", import.meta.url));
  const child = spawn(process.execPath, ["--conditions=cairn-source", script, dir], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.once("data", (chunk: Buffer) => resolve(chunk.toString("utf8").trim()));
    child.once("exit", () => reject(new Error("the node did not start")));
  });
  return { child, url };
}
