/** Fee bumps on a regtest whose blocks the test makes: variants of one outpoint, any of which may be confirmed. */
import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { displayHash, encodeHex, parseTransaction } from "@cairn/bitcoin";
import {
  type BitcoinRpc,
  type Coin,
  createAnchorWallet,
  createBitcoinRpc,
  createRegtest,
  type Regtest,
} from "@cairn/bitcoin-node";
import { createServiceClient, type ServiceClient, verifyReceipt } from "@cairn/sdk";
import type { RunningService, ServiceOptions } from "./index.ts";
import { atEnd, call, runService, TOKEN, temporaryHome, testLog, until } from "./testing/fixture.ts";
import { endpoints, KEYS, runNode } from "./testing/node-fixture.ts";

const BUMP_BLOCKS = 2;
const FEES = { targetBlocks: 6, fallbackRate: 2, capRate: 5, capSat: 50_000, runway: 40 };

interface Bench {
  readonly client: ServiceClient;
  readonly service: () => RunningService;
  /** What the service anchors on. */
  readonly regtest: Regtest;
  readonly rpc: BitcoinRpc;
  readonly funding: { readonly txid: string; readonly vout: number };
  /** A node with the same blocks from before the first anchor. */
  readonly other: Regtest;
  restart(): Promise<void>;
}

async function startBench(t: TestContext, ...fundingSat: readonly bigint[]): Promise<Bench> {
  const home = temporaryHome(t);
  const open = (name: string): Promise<Regtest> =>
    createRegtest({ dir: join(home, name), blockIntervalMs: 0, user: "u", password: "p", log: testLog });
  const first = await open("regtest");
  const { address } = createAnchorWallet({ privateKey: KEYS.anchorKey, network: "regtest" });
  const fundings: Coin[] = [];
  for (const valueSat of fundingSat) fundings.push(await first.fundAddress(address, valueSat));
  const [funding] = fundings;
  assert.ok(funding !== undefined);
  await first.mine(1);
  await first.close();
  cpSync(join(home, "regtest"), join(home, "other"), { recursive: true });
  const [regtest, other] = [await open("regtest"), await open("other")];
  atEnd(t, () => regtest.close());
  atEnd(t, () => other.close());
  const node = await runNode(t, home);
  const options: Partial<ServiceOptions> = {
    ...{ home, ...KEYS, ...endpoints(node), fees: FEES },
    bitcoin: { kind: "rpc", network: "regtest", urls: [regtest.url], funding: fundings },
    policy: {
      ...{ batchIntervalMs: 100, batchSlots: 512, anchorPeriodMs: 100, finalDepth: 2 },
      bumpBlocks: BUMP_BLOCKS,
    },
  };
  let service = await runService(t, options);
  const rpc = createBitcoinRpc({ url: regtest.url });
  const restart = async () => {
    await service.close();
    service = await runService(t, options);
  };
  const client = () => createServiceClient({ url: service.url, token: TOKEN, timeoutMs: 60_000 });
  const live = new Proxy({} as ServiceClient, { get: (_, name) => Reflect.get(client(), name) });
  return { client: live, service: () => service, regtest, rpc, funding, other, restart };
}

const commitment = (n: number) => ({
  proof_data: JSON.stringify({ system: "commitment", value: `0x${n.toString(16).padStart(64, "0")}` }),
  chain_id: "fees",
});

/** Waits for an anchor that is not `before`, in the node's mempool. */
async function nextVariant(bench: Bench, before?: string): Promise<{ txid: string; raw: Uint8Array; feeSat: number }> {
  return until("a further variant is sent", async () => {
    const [anchor] = (await bench.client.anchors()).items;
    if (anchor === undefined || anchor.txid === before) return undefined;
    const known = await bench.rpc.getRawTransaction(anchor.txid);
    return known === null ? undefined : { txid: anchor.txid, raw: known.raw, feeSat: anchor.fee_sat };
  });
}

const firstInput = (raw: Uint8Array): string => {
  const [input] = parseTransaction(raw).inputs;
  return `${displayHash(input?.txid ?? new Uint8Array(32))}:${input?.vout}`;
};

/** Mines a transaction on the other node and hands its blocks over. */
async function mineElsewhere(bench: Bench, raw: Uint8Array, blocks: number): Promise<void> {
  const theirs = createBitcoinRpc({ url: bench.other.url });
  for (let height = bench.other.height() + 1; height <= bench.regtest.height(); height += 1) {
    await hand(bench.rpc, theirs, height);
  }
  assert.equal((await theirs.sendRawTransaction(raw)).ok, true);
  await bench.other.mine(blocks);
  for (let height = bench.regtest.height() + 1; height <= bench.other.height(); height += 1) {
    await hand(theirs, bench.rpc, height);
  }
}

async function hand(from: BitcoinRpc, to: BitcoinRpc, height: number): Promise<void> {
  const block = await from.getBlock((await from.getBlockHash(height)) ?? "");
  await to.call("submitblock", [encodeHex(block ?? new Uint8Array())]);
}

test("fees rise on schedule over one outpoint, survive a restart, and an old variant may win", {
  timeout: 120_000,
}, async (t) => {
  const bench = await startBench(t, 100_000_000n);
  const { id } = await bench.client.submitProof(commitment(1));
  const first = await nextVariant(bench);
  assert.equal(firstInput(first.raw), `${bench.funding.txid}:${bench.funding.vout}`);
  await bench.regtest.mine(BUMP_BLOCKS, { empty: true });
  const second = await nextVariant(bench, first.txid);
  await bench.restart();
  await bench.regtest.mine(BUMP_BLOCKS, { empty: true });
  const third = await nextVariant(bench, second.txid);
  assert.ok(first.feeSat < second.feeSat && second.feeSat < third.feeSat);
  for (const { raw } of [second, third]) assert.equal(firstInput(raw), firstInput(first.raw), "one outpoint");
  assert.equal(await bench.rpc.getSpender(bench.funding.txid, bench.funding.vout), third.txid);
  await mineElsewhere(bench, second.raw, 1);
  await until("the second variant is mined", async () => (await bench.client.getProof(id)).state === "anchored");
  assert.equal((await bench.client.getProof(id)).anchor?.txid, second.txid);
  await bench.regtest.mine(1);
  await until("it is final", async () => (await bench.client.getProof(id)).state === "final");
  const outcome = await verifyReceipt(await bench.client.receiptText(id), {});
  assert.equal(outcome.result, "untrusted", "every link holds, no trust root was given");
  const { id: next } = await bench.client.submitProof(commitment(2));
  const fourth = await nextVariant(bench, second.txid);
  assert.equal(firstInput(fourth.raw), `${second.txid}:0`, "the next anchor spends the winner's change");
  await bench.regtest.mine(2);
  await until("the next one is final", async () => (await bench.client.getProof(next)).state === "final");
});

test("a reorg to another variant: what spent the loser's change is signed again over the winner's", {
  timeout: 120_000,
}, async (t) => {
  const bench = await startBench(t, 100_000_000n);
  const { id } = await bench.client.submitProof(commitment(1));
  const first = await nextVariant(bench);
  const forkHeight = bench.regtest.height();
  await bench.regtest.mine(BUMP_BLOCKS, { empty: true });
  const second = await nextVariant(bench, first.txid);
  await bench.regtest.mine(1);
  await until("the second variant is mined", async () => (await bench.client.getProof(id)).state === "anchored");
  const { id: next } = await bench.client.submitProof(commitment(2));
  const child = await nextVariant(bench, second.txid);
  assert.equal(firstInput(child.raw), `${second.txid}:0`);
  assert.equal(bench.other.height(), forkHeight);
  const theirs = createBitcoinRpc({ url: bench.other.url });
  assert.equal((await theirs.sendRawTransaction(first.raw)).ok, true);
  await bench.other.mine(6);
  for (let height = forkHeight + 1; height <= bench.other.height(); height += 1) await hand(theirs, bench.rpc, height);
  assert.equal(bench.regtest.bestBlockHash(), bench.other.bestBlockHash());
  await until("the first variant counts", async () => (await bench.client.getProof(id)).anchor?.txid === first.txid);
  const again = await nextVariant(bench, child.txid);
  assert.equal(firstInput(again.raw), `${first.txid}:0`, "signed again");
  await bench.regtest.mine(2);
  for (const each of [id, next]) {
    await until("both are final", async () => (await bench.client.getProof(each)).state === "final");
  }
});

test("a further coin that is spent elsewhere is left out of the next variant", { timeout: 120_000 }, async (t) => {
  const bench = await startBench(t, 5_000n, 1_000n);
  const { id } = await bench.client.submitProof(commitment(1));
  const first = await nextVariant(bench);
  const [chained, further] = parseTransaction(first.raw).inputs;
  assert.ok(further !== undefined && chained !== undefined);
  const input = { txid: displayHash(further.txid), vout: further.vout, valueSat: 1_000n };
  const wallet = createAnchorWallet({ privateKey: KEYS.anchorKey, network: "regtest" });
  const elsewhere = wallet.buildAnchor({ input, data: new Uint8Array(8), feeSat: 700n });
  assert.equal((await bench.rpc.sendRawTransaction(elsewhere.rawTx)).ok, true);
  assert.equal(await bench.rpc.getRawTransaction(first.txid), null, "the anchor left the mempool");
  await bench.regtest.mine(1);
  const second = await nextVariant(bench, first.txid);
  assert.equal(firstInput(second.raw), firstInput(first.raw));
  assert.equal(parseTransaction(second.raw).inputs.length, 1);
  await bench.regtest.mine(2);
  await until("it is final", async () => (await bench.client.getProof(id)).state === "final");
});

/** Codes on /readyz, which are those of the metrics. */
async function alarmsOf(bench: Bench): Promise<readonly string[]> {
  const { body } = await call(bench.service(), "/readyz");
  const metrics = String((await call(bench.service(), "/metrics")).body.text);
  const raised = [...metrics.matchAll(/^cairn_alarm\{alarm="([\w-]+)"\} 1$/gm)].map(([, code = ""]) => code);
  const listed = (body.alarms as readonly { readonly code: string }[]).map(({ code }) => code);
  return listed.filter((code) => raised.includes(code));
}

test("a wallet running dry takes its further coins; at the cap nothing more is offered, which is told", {
  timeout: 120_000,
}, async (t) => {
  const bench = await startBench(t, 9_000n, 1_000n);
  const isCapped = async () =>
    /^cairn_anchor_fee_capped 1$/m.test(String((await call(bench.service(), "/metrics")).body.text));
  await bench.client.submitProof(commitment(1));
  let variant = await nextVariant(bench);
  const inputs = (raw: Uint8Array) => parseTransaction(raw).inputs.length;
  const sizes = [inputs(variant.raw)];
  for (let capped = false; !capped; ) {
    assert.ok(sizes.length < 12, "bumps end");
    const { txid } = variant;
    await bench.regtest.mine(BUMP_BLOCKS, { empty: true });
    capped = await until("a bump or the cap", async () => {
      if ((await bench.client.anchors()).items[0]?.txid !== txid) return "bumped";
      return (await isCapped()) && "capped";
    }).then((outcome) => outcome === "capped");
    if (!capped) variant = await nextVariant(bench, txid);
    if (!capped) sizes.push(inputs(variant.raw));
  }
  assert.ok(sizes.length > 2);
  assert.ok(variant.feeSat <= FEES.capRate * 229);
  await until("it is an alarm", async () => (await alarmsOf(bench)).includes("anchor-fee-capped"));
  await bench.regtest.mine(1);
  await until("the alarm is over", async () => !(await alarmsOf(bench)).includes("anchor-fee-capped"));
  await until("the cap is no matter once it is mined", async () => !(await isCapped()));
  await bench.client.submitProof(commitment(2));
  const refilled = await nextVariant(bench, variant.txid);
  assert.equal(firstInput(refilled.raw), `${variant.txid}:0`);
  assert.deepEqual([sizes[0], sizes.at(-1), inputs(refilled.raw)], [1, 2, 1], "the second coin came in once");
});
