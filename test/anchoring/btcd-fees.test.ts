/** Fee bumps on a real btcd: it takes each replacement, and the receipt follows the variant that a block holds. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { displayHash, encodeHex, parseTransaction, transactionId } from "@cairn/bitcoin";
import {
  type BitcoinRpc,
  createAnchorWallet,
  createBitcoinRpc,
  createRegtest,
  type Regtest,
} from "@cairn/bitcoin-node";
import { createServiceClient, type ServiceClient, verifyReceipt } from "@cairn/sdk";
import { atEnd, runService, TOKEN, temporaryHome, testLog, until } from "../../packages/service/src/testing/fixture.ts";
import { endpoints, KEYS, runNode } from "../../packages/service/src/testing/node-fixture.ts";
import { skipBtcd, startBtcd } from "./btcd-process.ts";

const BUMP_BLOCKS = 2;

/** btcd beside a miner of ours, which alone decides what is in a block: btcd's own blocks take its whole mempool. */
interface Bench {
  readonly client: ServiceClient;
  readonly btcd: BitcoinRpc;
  readonly miner: Regtest;
  /** Blocks that the miner makes are handed to btcd. */
  mine(count: number, empty: boolean): Promise<void>;
}

async function startBench(t: TestContext): Promise<Bench> {
  const home = temporaryHome(t);
  const { address } = createAnchorWallet({ privateKey: KEYS.anchorKey, network: "regtest" });
  const dir = join(home, "miner");
  const miner = await createRegtest({ dir, blockIntervalMs: 0, user: "u", password: "p", log: testLog });
  atEnd(t, () => miner.close());
  const btcd = await startBtcd({ dir: join(home, "outside"), miningAddress: address });
  atEnd(t, () => btcd.stop());
  const ours = createBitcoinRpc({ url: miner.url });
  const handOver = async (): Promise<void> => {
    for (let height = (await btcd.rpc.getBlockCount()) + 1; height <= miner.height(); height += 1) {
      const block = await ours.getBlock((await ours.getBlockHash(height)) ?? "");
      assert.equal(await btcd.rpc.call("submitblock", [encodeHex(block ?? new Uint8Array())]), null);
    }
  };
  const mine = async (count: number, empty: boolean): Promise<void> => {
    await miner.mine(count, { empty });
    await handOver();
  };
  await miner.fundAddress(address, 1_000_000n);
  await mine(1, false);
  const node = await runNode(t, home);
  const service = await runService(t, {
    ...{ home, ...KEYS, ...endpoints(node) },
    bitcoin: { kind: "rpc", network: "regtest", urls: [btcd.url] },
    policy: {
      ...{ batchIntervalMs: 100, batchSlots: 512, anchorPeriodMs: 100, finalDepth: 2, bumpBlocks: BUMP_BLOCKS },
    },
  });
  const client = createServiceClient({ url: service.url, token: TOKEN, timeoutMs: 60_000 });
  return { client, btcd: btcd.rpc, miner, mine };
}

const commitment = (byte: string) => ({
  proof_data: JSON.stringify({ system: "commitment", value: `0x${byte.repeat(32)}` }),
  chain_id: "btcd-fees",
});

/** Waits for the one transaction of btcd's mempool to be another one. */
function nextVariant({ btcd }: Bench, before?: string): Promise<{ readonly txid: string; readonly raw: Uint8Array }> {
  return until("a further variant is in btcd's mempool", async () => {
    const [txid, ...more] = (await btcd.call("getrawmempool")) as string[];
    assert.deepEqual(more, [], "variants replace each other");
    const known = txid === undefined || txid === before ? null : await btcd.getRawTransaction(txid);
    return known !== null && txid !== undefined && { txid, raw: known.raw };
  });
}

test("btcd takes every replacement; the newest confirms, then an older one does", {
  skip: skipBtcd,
  timeout: 120_000,
}, async (t) => {
  const bench = await startBench(t);
  const { client, btcd, miner } = bench;
  const { id } = await client.submitProof(commitment("5a"));
  const first = await nextVariant(bench);
  await bench.mine(BUMP_BLOCKS, true);
  const second = await nextVariant(bench, first.txid);
  assert.equal(await btcd.getRawTransaction(first.txid), null, "the first one left");
  const [input] = parseTransaction(second.raw).inputs;
  assert.deepEqual(input, { ...parseTransaction(first.raw).inputs[0], witness: input?.witness });
  assert.equal(await btcd.getSpender(displayHash(input?.txid ?? new Uint8Array()), input?.vout ?? 0), second.txid);
  assert.equal((await createBitcoinRpc({ url: miner.url }).sendRawTransaction(second.raw)).ok, true);
  await bench.mine(2, false);
  await receiptIs(client, id, second.raw);
  const { id: next } = await client.submitProof(commitment("a5"));
  const third = await nextVariant(bench);
  await bench.mine(BUMP_BLOCKS, true);
  const fourth = await nextVariant(bench, third.txid);
  assert.equal((await createBitcoinRpc({ url: miner.url }).sendRawTransaction(third.raw)).ok, true);
  await bench.mine(1, false);
  await until("btcd gave the fourth one up", async () => (await btcd.getRawTransaction(fourth.txid)) === null);
  await bench.mine(1, false);
  await receiptIs(client, next, third.raw);
  const { id: last } = await client.submitProof(commitment("77"));
  const fifth = await nextVariant(bench);
  assert.equal(displayHash(parseTransaction(fifth.raw).inputs[0]?.txid ?? new Uint8Array()), third.txid, "its change");
  assert.equal((await createBitcoinRpc({ url: miner.url }).sendRawTransaction(fifth.raw)).ok, true);
  await bench.mine(2, false);
  await receiptIs(client, last, fifth.raw);
});

/** Waits until a submission is final, in this transaction. */
async function receiptIs(client: ServiceClient, id: string, raw: Uint8Array): Promise<void> {
  await until("it is final", async () => (await client.getProof(id)).state === "final", 60_000);
  const text = await client.receiptText(id);
  const stripped = String(JSON.parse(text).anchor.raw_tx);
  const txid = (bytes: Uint8Array): string => displayHash(transactionId(parseTransaction(bytes)));
  assert.equal(txid(Buffer.from(stripped, "hex")), txid(raw));
  assert.equal((await verifyReceipt(text, {})).result, "untrusted", "every link holds, no trust root was given");
}
