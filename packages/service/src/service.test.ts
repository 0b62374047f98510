import assert from "node:assert/strict";
import { test } from "node:test";
import { displayHash, evaluateTimestamp, headerHash, parseDetached, parseHeader } from "@cairn/bitcoin";
import { createBitcoinRpc } from "@cairn/bitcoin-node";
import { hexToBytes, sha256 } from "@cairn/primitives";
import { createServiceClient, type SubmissionResource, verifyReceipt } from "@cairn/sdk";
import type { RunningService } from "./index.ts";
import { allProofCases, call, runService, TOKEN, temporaryHome, until } from "./testing/fixture.ts";
import { endpoints, KEYS, reopenNode, runNode } from "./testing/node-fixture.ts";

const cases = allProofCases();
const valid = cases.filter((item) => item.expected === "valid");

const clientOf = (service: RunningService) =>
  createServiceClient({ url: service.url, token: TOKEN, timeoutMs: 60_000 });

test("every case ends with its verdict, valid ones become final and their receipts are proven", {
  timeout: 180_000,
}, async (t) => {
  const home = temporaryHome(t);
  const node = await runNode(t, home);
  const service = await runService(t, { home, ...KEYS, ...endpoints(node) });
  const client = clientOf(service);
  const ends = await Promise.all(
    cases.map(async (item, i) => {
      const { id } = await client.submitProof({ proof_data: item.proofData, chain_id: "test", block_number: `${i}` });
      return end(client, id);
    }),
  );
  for (const [i, item] of cases.entries()) {
    const got = ends[i]?.state === "final" ? "valid" : (ends[i]?.error?.code ?? "none");
    assert.ok([item.expected, ...(item.alsoAccepted ?? [])].includes(got), `${item.id}: ${got}`);
  }
  const finals = ends.filter((item) => item.state === "final");
  for (const item of finals.slice(0, 5)) await checkReceipt(client, service, item);
  const { items: batches } = await client.batches({ limit: 100 });
  assert.equal(
    batches.reduce((sum, batch) => sum + (batch.verified ?? 0), 0),
    finals.length,
  );
  assert.deepEqual(
    batches.flatMap((batch) => batch.excluded ?? []),
    [],
  );
});

async function end(client: ReturnType<typeof clientOf>, id: string): Promise<SubmissionResource> {
  return until(
    `${id} is final or rejected`,
    async () => {
      const now = await client.getProof(id);
      return (now.state === "final" || now.state === "rejected") && now;
    },
    120_000,
  );
}

async function checkReceipt(client: ReturnType<typeof clientOf>, service: RunningService, item: SubmissionResource) {
  const text = await client.receiptText(item.id);
  const receipt = await client.receipt(item.id);
  const rpc = createBitcoinRpc({ url: service.bitcoinRpcUrl });
  assert.ok(receipt.anchor);
  const blockHash = await rpc.getBlockHash(receipt.anchor.height);
  const bitcoin = {
    kind: "node" as const,
    genesisHash: (await rpc.getBlockHash(0)) ?? "",
    blockHash,
    tip: await rpc.getBlockCount(),
  };
  const { header } = receipt.settlement.consensus;
  const verification = verifyReceipt(text, { bitcoin, validatorsHashes: [String(header.validators_hash)] });
  assert.equal(verification.result, "proven", JSON.stringify(verification.links));
  const bytes = await client.proofBytes(item.id);
  const ots = parseDetached(await client.receiptOts(item.id));
  assert.deepEqual(ots.fileDigest, sha256(bytes));
  const [attestation] = evaluateTimestamp(ots.timestamp, ots.fileDigest);
  assert.equal(attestation?.attestation.kind, "bitcoin");
  const { merkleRoot } = parseHeader(Buffer.from(receipt.anchor.header, "hex"));
  assert.deepEqual(attestation?.message, merkleRoot);
  const calendar = await fetch(`${service.url}/timestamp/${receipt.batch.commitment.slice(2)}`);
  assert.equal(calendar.status, 200);
  assert.equal(displayHash(headerHash(parseHeader(Buffer.from(receipt.anchor.header, "hex")))), blockHash);
  assert.ok(hexToBytes(receipt.batch.commitment).length === 32);
}

test("a commitment is carried and anchored, never counted as verified", { timeout: 120_000 }, async (t) => {
  const home = temporaryHome(t);
  const node = await runNode(t, home);
  const service = await runService(t, { home, ...KEYS, ...endpoints(node) });
  const client = clientOf(service);
  const value = `0x${"ab".repeat(32)}`;
  const proof_data = JSON.stringify({ system: "commitment", encoding: "hex", proof: value });
  const source = `rpc:test|7|${value}|`;
  const { id } = await client.submitProof({ proof_data, chain_id: "1", block_number: "7", source });
  const final = await client.waitFor(id, "final");
  assert.equal(final.kind, "commitment");
  assert.equal(final.source, source);
  assert.equal(final.vk_hash, undefined);
  const batch = await client.batch(final.batch?.number ?? 0);
  assert.deepEqual([batch.verified, batch.commitments], [0, 1]);
  await checkReceipt(client, service, final);
});

test("restarts at any state continue; a Bitcoin reorg goes back to settled and forward again", {
  timeout: 180_000,
}, async (t) => {
  const home = temporaryHome(t);
  const node = await runNode(t, home);
  const options = { home, ...KEYS, ...endpoints(node) };
  const slow = { batchIntervalMs: 200, batchSlots: 512, anchorPeriodMs: 300, finalDepth: 12 };
  const [example] = valid;
  assert.ok(example);
  let service = await runService(t, { ...options, policy: slow });
  const { id } = await clientOf(service).submitProof({ proof_data: example.proofData, chain_id: "restart" });
  for (const state of ["verified", "batched", "settled", "anchored"] as const) {
    await clientOf(service).waitFor(id, state);
    await service.close();
    service = await runService(t, { ...options, policy: slow });
  }
  const client = clientOf(service);
  const anchored = await until("it is in a block", async () => {
    const now = await client.getProof(id);
    return now.anchor?.block_hash !== undefined && now;
  });
  const rpc = createBitcoinRpc({ url: service.bitcoinRpcUrl });
  await rpc.call("invalidateblock", [anchored.anchor?.block_hash]);
  const final = await client.waitFor(id, "final");
  const states = final.history.map((entry) => entry.state);
  const way = ["received", "verified", "batched", "settled", "anchored"];
  assert.deepEqual(states, [...way, "settled", "anchored", "final"]);
  assert.notEqual(final.anchor?.block_hash, anchored.anchor?.block_hash);
  assert.equal(final.anchor?.txid, anchored.anchor?.txid);
  assert.deepEqual(
    (await client.batches()).items.map((batch) => [batch.number, batch.size]),
    [[1, 1]],
  );
  assert.equal((await client.anchors()).items.length, 1);
});

test("the same statement again shares batch and receipt; a service waits for its node", {
  timeout: 120_000,
}, async (t) => {
  const home = temporaryHome(t);
  const [example] = valid;
  assert.ok(example);
  const node = await runNode(t, home);
  await node.close();
  const waiting = await runService(t, { home, ...KEYS });
  const reordered = JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(example.proofData)).reverse()));
  const ids = [];
  for (const proof_data of [example.proofData, reordered]) {
    ids.push((await clientOf(waiting).submitProof({ proof_data, chain_id: "same" })).id);
  }
  const [first = "", second = ""] = ids;
  assert.notEqual(first, second);
  await clientOf(waiting).waitFor(second, "batched");
  assert.equal((await call(waiting, "/readyz")).status, 503);
  await waiting.close();
  const again = await reopenNode(t, home);
  const service = await runService(t, { home, ...KEYS, ...endpoints(again) });
  const client = clientOf(service);
  const final = await client.waitFor(second, "final");
  assert.equal(final.duplicate_of, first);
  assert.equal(await client.receiptText(first), await client.receiptText(second));
  assert.equal((await client.batch(1)).size, 1);
  await until("everything is ready", async () => (await call(service, "/readyz")).status === 200);
});
