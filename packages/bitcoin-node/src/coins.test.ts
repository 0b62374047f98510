/**
 * Coins found by Bitcoin Core's `scantxoutset`. No Bitcoin Core runs here: a small server answers in the shapes of its
 * RPC documentation (scantxoutset, gettxout; errors with HTTP 500 or 404), recorded, not executed. btcd's address index
 * is tested on a real btcd (`test/anchoring`).
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { encodeHex } from "@cairn/bitcoin";
import { createBitcoinRpc } from "./bitcoin-rpc.ts";
import { type CoinSearch, findCoins } from "./coins.ts";
import { testWallet } from "./testing/regtest-fixture.ts";

const { address, scriptPubKey } = testWallet();
const SCRIPT = encodeHex(scriptPubKey);
const FOREIGN = `0014${"ab".repeat(20)}`;
const TIP = { height: 840_010, bestblock: "00".repeat(32) };
const id = (n: number): string => n.toString(16).padStart(64, "0");

/** As `gettxout` knows it. */
interface Output {
  readonly value: number;
  readonly confirmations: number;
  readonly coinbase?: boolean;
  readonly script?: string;
}

interface CoreState {
  /** Outputs of the UTXO set by txid; each is output 1 of its transaction. */
  readonly outputs: Readonly<Record<string, Output>>;
  /** Takes the place of `scantxoutset`'s result. */
  readonly scan?: unknown;
  readonly scanError?: { readonly code: number; readonly message: string };
  readonly scanMs?: number;
}

/** `scantxoutset`'s result for outputs that name the wallet's address at the time of the scan. */
function scanResult(outputs: CoreState["outputs"]): object {
  const unspents = Object.entries(outputs).map(([txid, { value, coinbase = false, confirmations }]) => ({
    ...{ txid, vout: 1, scriptPubKey: SCRIPT, desc: `addr(${address})#yxqpyxqp`, amount: value, coinbase },
    ...{ height: TIP.height - confirmations + 1, blockhash: id(99), confirmations },
  }));
  const total_amount = unspents.reduce((sum, { amount }) => sum + amount, 0);
  return { success: true, txouts: 170_000_000, ...TIP, unspents, total_amount };
}

interface Core {
  readonly url: string;
  readonly calls: { readonly method: string; readonly params: readonly unknown[] }[];
}

async function startCore(t: TestContext, state: CoreState): Promise<Core> {
  const calls: { method: string; params: readonly unknown[] }[] = [];
  const server = createServer(async (request, response) => {
    const { method, params, id: callId } = JSON.parse(await text(request));
    calls.push({ method, params });
    const send = (status: number, result: unknown, error: unknown = null): void =>
      void response
        .writeHead(status, { "content-type": "application/json" })
        .end(JSON.stringify({ result, error, id: callId }));
    if (method === "scantxoutset") {
      if (state.scanError !== undefined) return send(500, null, state.scanError);
      setTimeout(send, state.scanMs ?? 0, 200, "scan" in state ? state.scan : scanResult(state.outputs));
      return;
    }
    if (method !== "gettxout") return send(404, null, { code: -32_601, message: "Method not found" });
    const [txid, vout] = params as [string, number];
    const output = vout === 1 ? state.outputs[txid] : undefined;
    if (output === undefined || output.confirmations < 0) return send(200, null);
    const { value, confirmations, coinbase = false, script = SCRIPT } = output;
    send(200, {
      ...TIP,
      confirmations,
      value,
      scriptPubKey: { asm: "", hex: script, type: "witness_v0_keyhash" },
      coinbase,
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const place = server.address();
  assert.ok(typeof place === "object" && place !== null);
  return { url: `http://u:p@127.0.0.1:${place.port}`, calls };
}

const search = (core: Core, configured: CoinSearch["configured"] = [], timeoutMs = 5_000): CoinSearch => ({
  rpc: createBitcoinRpc({ url: core.url, timeoutMs }),
  ...{ address, scriptPubKey, configured },
});

test("a scan's coins are asked for one by one: confirmed, mature, own and unspent ones, the largest first", async (t) => {
  const core = await startCore(t, {
    outputs: {
      [id(1)]: { value: 0.00_1, confirmations: 3 },
      [id(2)]: { value: 0.29, confirmations: 1 },
      [id(3)]: { value: 50, confirmations: 99, coinbase: true },
      [id(4)]: { value: 3.125, confirmations: 100, coinbase: true },
      [id(5)]: { value: 9, confirmations: 5, script: FOREIGN },
      [id(6)]: { value: 9, confirmations: 0 },
      // Spent between the scan and the question.
      [id(7)]: { value: 9, confirmations: -1 },
    },
  });
  assert.deepEqual(await findCoins(search(core)), [
    { txid: id(4), vout: 1, valueSat: 312_500_000n },
    { txid: id(2), vout: 1, valueSat: 29_000_000n },
    { txid: id(1), vout: 1, valueSat: 100_000n },
  ]);
  assert.deepEqual(core.calls[0], { method: "scantxoutset", params: ["start", [`addr(${address})`]] });
  assert.ok(
    core.calls.slice(1).every(({ method }) => method === "gettxout"),
    "no other method is needed",
  );
});

test("an outpoint that is configured and found counts once", async (t) => {
  const core = await startCore(t, { outputs: { [id(1)]: { value: 1, confirmations: 3 } } });
  const coins = await findCoins(
    search(core, [
      { txid: id(1), vout: 1 },
      { txid: id(8), vout: 0 },
    ]),
  );
  assert.deepEqual(coins, [{ txid: id(1), vout: 1, valueSat: 100_000_000n }]);
});

test("while another scan runs, or the node has none, the configured outpoints are what there is", async (t) => {
  const outputs = { [id(1)]: { value: 1, confirmations: 3 } };
  const busy = { code: -8, message: 'Scan already in progress, use action "abort" or "status"' };
  for (const scanError of [busy, { code: -32_601, message: "Method not found" }]) {
    const core = await startCore(t, { outputs, scanError });
    assert.deepEqual(await findCoins(search(core)), []);
    assert.equal((await findCoins(search(core, [{ txid: id(1), vout: 1 }]))).length, 1);
  }
});

test("a scan that was aborted gives what it found; what is no scan's answer gives nothing", async (t) => {
  const outputs = { [id(1)]: { value: 1, confirmations: 3 } };
  const [unspent] = (scanResult(outputs) as { unspents: object[] }).unspents;
  const cases: readonly (readonly [unknown, number])[] = [
    [{ ...scanResult(outputs), success: false }, 1],
    [{ success: true, unspents: [unspent, { ...unspent, txid: "../x" }, { ...unspent, vout: "1" }, 7, null] }, 1],
    [{ success: true, unspents: {} }, 0],
    [null, 0],
    ["scanning", 0],
  ];
  for (const [scan, found] of cases) {
    const core = await startCore(t, { outputs, scan });
    assert.equal((await findCoins(search(core))).length, found, JSON.stringify(scan));
  }
});

test("a scan may take long; another refusal, or no answer in time, is an error", async (t) => {
  const outputs = { [id(1)]: { value: 1, confirmations: 3 } };
  const slow = await startCore(t, { outputs, scanMs: 300 });
  assert.equal((await findCoins(search(slow))).length, 1);
  await assert.rejects(findCoins(search(slow, [], 100)), { code: "timeout" });
  const scanError = { code: -28, message: "Loading block index…" };
  await assert.rejects(findCoins(search(await startCore(t, { outputs, scanError }))), { code: "rpc", rpcCode: -28 });
});
