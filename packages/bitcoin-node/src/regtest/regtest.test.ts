/** The embedded node through its RPC: chain, mempool rules, reorgs. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { encodeHex, parseBlock, parseTransaction, serializeBlock, serializeTransaction } from "@cairn/bitcoin";
import { fundedCoin, openRegtest, testWallet, withRegtest } from "../testing/regtest-fixture.ts";
import type { BitcoinRpc, Regtest } from "../types.ts";

const wallet = testWallet();
const data = new Uint8Array(40).fill(1);

async function reasonOf(rpc: BitcoinRpc, raw: Uint8Array): Promise<string> {
  const [answer] = (await rpc.call("testmempoolaccept", [[encodeHex(raw)]])) as Record<string, unknown>[];
  return answer?.allowed === true ? "allowed" : String(answer?.["reject-reason"]);
}

async function post(node: Regtest, body: string, headers: Record<string, string> = {}) {
  const auth = `Basic ${Buffer.from("user:pass:w@rd").toString("base64")}`;
  const init = { method: "POST", body, headers: { authorization: auth, ...headers } };
  const response = await fetch(`http://127.0.0.1:${node.port}/`, init);
  const text = await response.text();
  return { status: response.status, json: text.startsWith("{") || text.startsWith("[") ? JSON.parse(text) : text };
}

describe("a new chain", () => {
  it("starts with mature funds within a second", async () => {
    const dir = mkdtempSync(join(tmpdir(), "cairn-regtest-"));
    const started = performance.now();
    const node = await openRegtest(dir);
    try {
      assert.ok(performance.now() - started < 3000);
      assert.equal(node.height(), 101);
      assert.equal(node.genesisHash, "0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206");
      assert.equal((await fundedCoin(node, 4_999_000_000n)).valueSat, 4_999_000_000n);
      await assert.rejects(node.fundAddress("bcrt1nonsense", 1n));
    } finally {
      await node.close();
      rmSync(dir, { recursive: true, force: true });
    }
  });

  it("mines by itself at its interval", async () => {
    const dir = mkdtempSync(join(tmpdir(), "cairn-regtest-"));
    const node = await openRegtest(dir, 20);
    const deadline = Date.now() + 10_000;
    while (node.height() < 105 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 10));
    assert.ok(node.height() >= 105);
    await node.close();
    rmSync(dir, { recursive: true, force: true });
  });
});

describe("mempool", () => {
  it("admits, answers again, mines, and knows what is mined", () =>
    withRegtest(async ({ node, rpc }) => {
      const anchor = wallet.buildAnchor({ input: await fundedCoin(node), data, feeSat: 500n });
      const raw = anchor.rawTx;
      assert.equal(await reasonOf(rpc, raw), "allowed");
      assert.deepEqual(await rpc.sendRawTransaction(raw), { ok: true, txid: anchor.txid });
      assert.deepEqual(await rpc.sendRawTransaction(raw), { ok: true, txid: anchor.txid });
      assert.equal(await rpc.getSpender(anchor.change.txid, 0), null);
      assert.equal((await rpc.getTxOut(anchor.txid, 0))?.confirmations, 0);
      assert.equal(await rpc.getTxOut(anchor.txid, 0, false), null);
      await node.mine(1);
      assert.equal((await rpc.getRawTransaction(anchor.txid))?.confirmations, 1);
      assert.deepEqual(await rpc.sendRawTransaction(raw), { ok: true, txid: anchor.txid, already: "chain" });
      assert.equal((await rpc.getTxOut(anchor.txid, 0))?.valueSat, anchor.changeValueSat);
      assert.equal(await rpc.getTxOut(anchor.txid, 1), null, "OP_RETURN is no coin");
    }));

  it("takes chains of unconfirmed transactions and mines them in order", () =>
    withRegtest(async ({ node, rpc }) => {
      let input = await fundedCoin(node);
      for (let i = 0; i < 30; i += 1) {
        const { rawTx, change } = wallet.buildAnchor({ input, data, feeSat: 200n });
        assert.ok((await rpc.sendRawTransaction(rawTx)).ok);
        input = change;
      }
      await node.mine(1);
      assert.equal((await rpc.getRawTransaction(input.txid))?.confirmations, 1);
      assert.deepEqual(await rpc.call("getrawmempool"), []);
    }));

  it("replaces for more fee only, with everything that hung on it", () =>
    withRegtest(async ({ node, rpc }) => {
      const input = await fundedCoin(node);
      const first = wallet.buildAnchor({ input, data, feeSat: 500n });
      const child = wallet.buildAnchor({ input: first.change, data, feeSat: 300n });
      for (const { rawTx } of [first, child]) assert.ok((await rpc.sendRawTransaction(rawTx)).ok);
      const bump = (feeSat: bigint) => wallet.buildAnchor({ input, data: data.map(() => 2), feeSat });
      for (const feeSat of [400n, 500n, 801n]) {
        assert.equal(await reasonOf(rpc, bump(feeSat).rawTx), "insufficient fee, rejecting replacement");
      }
      const better = bump(900n);
      assert.ok((await rpc.sendRawTransaction(better.rawTx)).ok);
      assert.deepEqual(await rpc.call("getrawmempool"), [better.txid]);
      assert.equal(await rpc.getSpender(input.txid, input.vout), better.txid);
      await node.mine(1);
      const late = await rpc.sendRawTransaction(first.rawTx);
      assert.ok(!late.ok && late.code === "missing-inputs");
    }));

  it("refuses what Bitcoin Core refuses, with its reasons", () =>
    withRegtest(async ({ node, rpc }) => {
      const input = await fundedCoin(node, 10_000_000n);
      const good = wallet.buildAnchor({ input, data, feeSat: 500n });
      const tx = parseTransaction(good.rawTx);
      const variant = (change: object) => serializeTransaction({ ...tx, ...change });
      assert.equal(await reasonOf(rpc, wallet.buildAnchor({ input, data, feeSat: 1n }).rawTx), "min relay fee not met");
      const stranger = { ...input, txid: "12".repeat(32) };
      assert.equal(
        await reasonOf(rpc, wallet.buildAnchor({ input: stranger, data, feeSat: 500n }).rawTx),
        "missing-inputs",
      );
      const [change, opReturn] = tx.outputs;
      assert.ok(change !== undefined && opReturn !== undefined);
      assert.match(
        await reasonOf(rpc, variant({ outputs: [{ ...change, valueSat: change.valueSat - 1n }, opReturn] })),
        /script-verify/,
      );
      assert.match(await reasonOf(rpc, variant({ lockTime: 5 })), /script-verify/);
      assert.equal(await reasonOf(rpc, variant({ lockTime: 5000 })), "bad-txns-nonfinal");
      assert.equal(await reasonOf(rpc, variant({ inputs: [...tx.inputs, ...tx.inputs] })), "bad-txns-inputs-duplicate");
      const rich = { ...input, valueSat: 20_000_000n };
      assert.match(await reasonOf(rpc, wallet.buildAnchor({ input: rich, data, feeSat: 1n }).rawTx), /script-verify/);
      const burn = variant({ outputs: [change, { ...opReturn, valueSat: 1n }] });
      await assert.rejects(rpc.call("sendrawtransaction", [encodeHex(burn)]), { rpcCode: -25 });
      const dear = wallet.buildAnchor({ input, data, feeSat: 9_000_000n });
      await assert.rejects(rpc.call("sendrawtransaction", [encodeHex(dear.rawTx)]), { rpcCode: -25 });
      assert.ok((await rpc.call("sendrawtransaction", [encodeHex(dear.rawTx), 0])) === dear.txid);
    }));

  it("lets no coinbase be spent before its time", () =>
    withRegtest(async ({ node, rpc }) => {
      await node.mine(1, { scriptPubKey: wallet.scriptPubKey });
      const block = parseBlock((await rpc.getBlock(node.bestBlockHash())) ?? new Uint8Array());
      const known = (await rpc.call("getblock", [node.bestBlockHash(), 1])) as { tx: string[] };
      const valueSat = block.transactions[0]?.outputs[0]?.valueSat ?? 0n;
      const spend = wallet.buildAnchor({ input: { txid: known.tx[0] ?? "", vout: 0, valueSat }, data, feeSat: 500n });
      await node.mine(98);
      assert.equal(await reasonOf(rpc, spend.rawTx), "bad-txns-premature-spend-of-coinbase");
      await node.mine(1);
      assert.equal(await reasonOf(rpc, spend.rawTx), "allowed");
    }));
});

describe("reorgs", () => {
  it("return transactions to the mempool and bring them back", () =>
    withRegtest(async ({ node, rpc }) => {
      const input = await fundedCoin(node);
      const first = wallet.buildAnchor({ input, data, feeSat: 500n });
      const second = wallet.buildAnchor({ input: first.change, data, feeSat: 500n });
      assert.ok((await rpc.sendRawTransaction(first.rawTx)).ok);
      const [hash = ""] = await node.mine(1);
      assert.ok((await rpc.sendRawTransaction(second.rawTx)).ok);
      await node.mine(1);
      const tip = node.bestBlockHash();
      await node.invalidateBlock(hash);
      assert.equal(node.height(), 102);
      assert.deepEqual(await rpc.call("getrawmempool"), [first.txid, second.txid]);
      assert.equal(await rpc.getBlockHash(103), null);
      const side = (await rpc.call("getblockheader", [hash, true])) as { confirmations: number };
      assert.equal(side.confirmations, -1);
      await node.reconsiderBlock(hash);
      assert.equal(node.bestBlockHash(), tip);
      assert.deepEqual(await rpc.call("getrawmempool"), []);
      assert.equal((await rpc.getRawTransaction(second.txid))?.confirmations, 1);
    }));

  it("follow the longer branch, and a double spend in it wins", () =>
    withRegtest(async ({ node, rpc }) => {
      const input = await fundedCoin(node);
      const [a, b] = [5, 6].map((n) => wallet.buildAnchor({ input, data: data.map(() => n), feeSat: 500n }));
      assert.ok(a !== undefined && b !== undefined);
      assert.ok((await rpc.sendRawTransaction(a.rawTx)).ok);
      const [hash = ""] = await node.mine(1);
      await node.invalidateBlock(hash);
      const better = wallet.buildAnchor({ input, data: data.map(() => 6), feeSat: 900n });
      assert.ok((await rpc.sendRawTransaction(better.rawTx)).ok);
      await node.mine(2);
      await node.reconsiderBlock(hash);
      assert.equal(node.height(), 104, "the longer branch stays");
      assert.equal(await rpc.getRawTransaction(a.txid), null);
      assert.equal((await rpc.getRawTransaction(better.txid))?.confirmations, 2);
    }));
});

describe("submitted blocks", () => {
  it("are refused with the reason", () =>
    withRegtest(async ({ node, rpc }) => {
      const anchor = wallet.buildAnchor({ input: await fundedCoin(node), data, feeSat: 500n });
      assert.ok((await rpc.sendRawTransaction(anchor.rawTx)).ok);
      await node.mine(1);
      const raw = (await rpc.getBlock(node.bestBlockHash())) ?? new Uint8Array();
      const block = parseBlock(raw);
      const submit = (change: Partial<typeof block>) =>
        rpc.call("submitblock", [encodeHex(serializeBlock({ ...block, ...change }))]);
      assert.equal(await submit({}), "duplicate");
      const [coinbase, payment] = block.transactions;
      assert.ok(coinbase !== undefined && payment !== undefined);
      assert.ok(
        ["bad-txnmrklroot", "high-hash"].includes(
          String(await submit({ header: { ...block.header, merkleRoot: new Uint8Array(32) } })),
        ),
      );
      assert.equal(await submit({ header: { ...block.header, previous: new Uint8Array(32) } }), "prev-blk-not-found");
      assert.equal(await submit({ header: { ...block.header, bits: 0x207ffffe } }), "bad-diffbits");
      assert.equal(await submit({ header: { ...block.header, time: 1 } }), "time-too-old");
      await assert.rejects(rpc.call("submitblock", ["00"]), { rpcCode: -22 });
    }));
});

describe("JSON-RPC in Bitcoin Core's manner", () => {
  it("wants user and password", () =>
    withRegtest(async ({ node }) => {
      const wrong = { authorization: `Basic ${Buffer.from("user:other").toString("base64")}` };
      assert.equal((await post(node, "{}", wrong)).status, 401);
      const get = await fetch(`http://127.0.0.1:${node.port}/`);
      assert.equal(get.status, 405);
    }));

  it("answers requests without jsonrpc, of version 2.0, by name, in batches", () =>
    withRegtest(async ({ node }) => {
      const old = await post(node, '{"version":"1.1","method":"getblockcount","params":[],"id":1}');
      assert.deepEqual(old, { status: 200, json: { result: 101, error: null, id: 1 } });
      const above = await post(node, '{"method":"getblockhash","params":[5000],"id":2}');
      assert.deepEqual(above.json.error, { code: -8, message: "Block height out of range" });
      assert.equal(above.status, 500);
      const modern = await post(node, '{"jsonrpc":"2.0","method":"nonsense","id":"x"}');
      assert.deepEqual(modern, {
        status: 200,
        json: { jsonrpc: "2.0", error: { code: -32601, message: "Method not found" }, id: "x" },
      });
      assert.equal((await post(node, '{"method":"nonsense","id":1}')).status, 404);
      const named = await post(node, '{"method":"getblockhash","params":{"height":0},"id":3}');
      assert.equal(named.json.result, node.genesisHash);
      const batch = await post(node, '[{"method":"getblockcount","id":1},{"method":"nonsense","id":2}]');
      assert.deepEqual(
        batch.json.map((item: { id: number }) => item.id),
        [1, 2],
      );
      assert.equal((await post(node, "not json")).status, 500);
      assert.equal((await post(node, '{"jsonrpc":"2.0","method":"getblockcount"}')).status, 204);
    }));

  it("refuses parameters of the wrong kind with Core's numbers", () =>
    withRegtest(async ({ rpc }) => {
      const refused = (method: string, params: unknown[], rpcCode: number) =>
        assert.rejects(rpc.call(method, params), { rpcCode }, `${method} ${JSON.stringify(params)}`);
      await refused("getblockhash", ["1"], -3);
      await refused("getblockhash", [-1], -8);
      await refused("getblockhash", [], -3);
      await refused("getblock", ["00"], -8);
      await refused("getblock", ["zz".repeat(32)], -8);
      await refused("getblock", ["00".repeat(32)], -5);
      await refused("getblockheader", ["00".repeat(32), "x"], -5);
      await refused("getrawtransaction", ["00".repeat(32)], -5);
      await refused("sendrawtransaction", ["00"], -22);
      await refused("sendrawtransaction", ["xyz"], -22);
      await refused("gettxout", ["00".repeat(32), "0"], -3);
      await refused("generatetoaddress", [1, "nonsense"], -5);
      await refused("generatetoaddress", [100_000, wallet.address], -8);
      await refused("invalidateblock", ["00".repeat(32)], -5);
      await refused("getblockcount", [1], -1);
    }));

  it("mines to an address", () =>
    withRegtest(async ({ rpc }) => {
      const [hash] = (await rpc.call("generatetoaddress", [1, wallet.address])) as string[];
      const block = (await rpc.call("getblock", [hash, 2])) as {
        tx: { vout: { scriptPubKey: { address: string } }[] }[];
      };
      assert.equal(block.tx[0]?.vout[0]?.scriptPubKey.address, wallet.address);
    }));
});
