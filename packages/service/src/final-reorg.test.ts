/** Bitcoin reorganisations deeper than the final depth, on a regtest whose blocks the test makes. */
import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createAnchorWallet, createBitcoinRpc, createRegtest, type Regtest } from "@cairn/bitcoin-node";
import { createServiceClient, type ServiceClient, type SubmissionResource, verifyReceipt } from "@cairn/sdk";
import type { RunningService } from "./index.ts";
import { atEnd, call, proofCases, runService, TOKEN, temporaryHome, testLog, until } from "./testing/fixture.ts";
import { endpoints, KEYS, runNode } from "./testing/node-fixture.ts";

const FINAL_DEPTH = 3;
const [example] = proofCases().filter((item) => item.expected === "valid");

/** A service that anchors on a regtest the test mines, and a copy of that regtest from before the first anchor. */
interface Bench {
  readonly service: RunningService;
  readonly client: ServiceClient;
  readonly regtest: () => Regtest;
  readonly alarms: object[];
  /** Closes the node and opens the copy at the same address: it never saw an anchor. */
  swapForCopy(): Promise<void>;
}

async function startBench(t: TestContext): Promise<Bench> {
  const home = temporaryHome(t);
  const open = (name: string, port = 0): Promise<Regtest> =>
    createRegtest({ dir: join(home, name), port, blockIntervalMs: 0, user: "u", password: "p", log: testLog });
  let regtest = await open("regtest");
  const { address } = createAnchorWallet({ privateKey: KEYS.anchorKey, network: "regtest" });
  const { txid, vout } = await regtest.fundAddress(address, 100_000_000n);
  await regtest.mine(1);
  const { port } = regtest;
  await regtest.close();
  cpSync(join(home, "regtest"), join(home, "copy"), { recursive: true });
  regtest = await open("regtest", port);
  atEnd(t, () => regtest.close());
  const node = await runNode(t, home);
  const alarms: object[] = [];
  const service = await runService(t, {
    ...{ home, ...KEYS, ...endpoints(node) },
    bitcoin: { kind: "rpc", network: "regtest", urls: [regtest.url], funding: [{ txid, vout }] },
    policy: { batchIntervalMs: 100, batchSlots: 512, anchorPeriodMs: 100, finalDepth: FINAL_DEPTH },
    log: { ...testLog, error: (fields, message) => void (/FINAL/.test(message) && alarms.push(fields)) },
  });
  return {
    service,
    client: createServiceClient({ url: service.url, token: TOKEN, timeoutMs: 60_000 }),
    regtest: () => regtest,
    alarms,
    swapForCopy: async () => {
      await regtest.close();
      regtest = await open("copy", port);
    },
  };
}

/** Two submissions in two anchors, one after the other, both final. */
async function twoFinals(bench: Bench): Promise<readonly SubmissionResource[]> {
  const ends: SubmissionResource[] = [];
  for (const chain_id of ["first", "second"]) {
    const { id } = await bench.client.submitProof({ ...proofOf(chain_id), chain_id });
    ends.push(await mineUntilFinal(bench, id));
  }
  assert.deepEqual(
    ends.map((end) => end.anchor?.sequence),
    [1, 2],
  );
  return ends;
}

/** A commitment of its own: another statement each time. */
function proofOf(name: string): { readonly proof_data: string } {
  if (name === "first" && example !== undefined) return { proof_data: example.proofData };
  const proof = `0x${Buffer.from(name.padEnd(32)).toString("hex")}`;
  return { proof_data: JSON.stringify({ system: "commitment", encoding: "hex", proof }) };
}

/** Mines a block whenever it is asked and not yet final. */
function mineUntilFinal({ client, regtest }: Bench, id: string): Promise<SubmissionResource> {
  return until(
    `${id} is final`,
    async () => {
      const now = await client.getProof(id);
      if (now.state === "final") return now;
      if (now.state === "settled" || now.state === "anchored") await regtest().mine(1);
      return undefined;
    },
    60_000,
  );
}

async function allSettled({ client }: Bench, finals: readonly SubmissionResource[]): Promise<void> {
  for (const { id } of finals) {
    await until(`${id} is settled again`, async () => (await client.getProof(id)).state === "settled");
    assert.equal((await client.receipt(id)).anchor, null);
  }
}

async function assertRecovered(bench: Bench, before: readonly SubmissionResource[]): Promise<void> {
  const { client } = bench;
  const rpc = createBitcoinRpc({ url: bench.regtest().url });
  for (const old of before) {
    const now = await mineUntilFinal(bench, old.id);
    assert.equal(now.anchor?.txid, old.anchor?.txid, "the same bytes");
    assert.notEqual(now.anchor?.block_hash, old.anchor?.block_hash);
    const way = ["received", "verified", "batched", "settled", "anchored", "final"];
    assert.deepEqual(
      now.history.map((entry) => entry.state),
      [...way, "settled", "anchored", "final"],
    );
    const receipt = await client.receipt(old.id);
    const height = receipt.anchor?.height ?? 0;
    const verification = verifyReceipt(await client.receiptText(old.id), {
      validatorsHashes: [String(receipt.settlement.consensus.header.validators_hash)],
      bitcoin: {
        kind: "node",
        genesisHash: bench.regtest().genesisHash,
        blockHash: await rpc.getBlockHash(height),
        tip: await rpc.getBlockCount(),
        minimumDepth: FINAL_DEPTH,
      },
    });
    assert.equal(verification.result, "proven", JSON.stringify(verification.links));
  }
  assert.deepEqual(
    (await client.anchors()).items.map(({ sequence, state }) => [sequence, state]),
    [
      [2, "final"],
      [1, "final"],
    ],
    "nothing is anchored twice",
  );
  assert.equal((await client.batches()).items.length, 2);
}

async function assertAlarm({ service, alarms }: Bench, lost: number): Promise<void> {
  assert.equal(alarms.length, lost);
  const { body } = await call(service, "/metrics");
  assert.match(String(body.text), new RegExp(`^cairn_final_anchors_lost_total ${lost}$`, "m"));
}

test("a final anchor's block leaves the best chain: settled again, an alarm, and forward with the same bytes", {
  timeout: 120_000,
}, async (t) => {
  const bench = await startBench(t);
  const finals = await twoFinals(bench);
  await assertAlarm(bench, 0);
  const orphan = finals[0]?.anchor?.block_hash ?? "";
  const height = bench.regtest().height();
  await bench.regtest().invalidateBlock(orphan);
  await bench.regtest().mine(height - bench.regtest().height() + 1, { empty: true });
  await allSettled(bench, finals);
  await assertAlarm(bench, 2);
  await assertRecovered(bench, finals);
  await assertAlarm(bench, 2);
  const { id } = await bench.client.submitProof({ ...proofOf("third"), chain_id: "third" });
  assert.equal((await mineUntilFinal(bench, id)).anchor?.sequence, 3);
});

test("final anchors whose transactions the node never saw are sent again in order", { timeout: 120_000 }, async (t) => {
  const bench = await startBench(t);
  const finals = await twoFinals(bench);
  const height = bench.regtest().height();
  await bench.swapForCopy();
  await bench.regtest().mine(height - bench.regtest().height() + 1, { empty: true });
  await allSettled(bench, finals);
  await assertAlarm(bench, 2);
  await assertRecovered(bench, finals);
});

test("a node that lost its newest blocks gets final anchors again; they stay final until other blocks stand there", {
  timeout: 120_000,
}, async (t) => {
  const bench = await startBench(t);
  const finals = await twoFinals(bench);
  await bench.swapForCopy();
  const rpc = createBitcoinRpc({ url: bench.regtest().url });
  const sent = finals.map((final) => final.anchor?.txid);
  await until("both are in the node's mempool", async () => {
    const pool = (await rpc.call("getrawmempool").catch(() => [])) as string[];
    return sent.every((txid) => txid !== undefined && pool.includes(txid));
  });
  for (const { id } of finals) assert.equal((await bench.client.getProof(id)).state, "final");
  await assertAlarm(bench, 0);
  await bench.regtest().mine(40);
  await until("the loss is seen", async () => bench.alarms.length === 2);
  await assertRecovered(bench, finals);
});
