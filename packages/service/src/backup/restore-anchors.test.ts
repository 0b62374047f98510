/**
 * A restored service whose backup is older than later anchors, on a regtest whose blocks the test makes: it finds them,
 * goes on after them, and what was given out since stays true.
 */
import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { displayHash, encodeHex, parseTransaction } from "@cairn/bitcoin";
import {
  type BitcoinRpc,
  createAnchorWallet,
  createBitcoinRpc,
  createRegtest,
  type Regtest,
} from "@cairn/bitcoin-node";
import type { RunningNode } from "@cairn/node";
import { createServiceClient, type ServiceClient, type SubmissionResource, verifyReceipt } from "@cairn/sdk";
import { startService } from "../service.ts";
import { atEnd, serviceOptions, TOKEN, temporaryHome, testLog, until } from "../testing/fixture.ts";
import { endpoints, KEYS, runNode } from "../testing/node-fixture.ts";
import { backupService, restoreService } from "./backup.ts";

const BUMP_BLOCKS = 2;
const FINAL_DEPTH = 2;

interface Bench {
  readonly home: string;
  readonly node: RunningNode;
  readonly regtest: Regtest;
  readonly rpc: BitcoinRpc;
  /** A node with the same blocks from before the first anchor. */
  readonly other: Regtest;
  readonly funding: { readonly txid: string; readonly vout: number };
}

async function startBench(t: TestContext): Promise<Bench> {
  const home = temporaryHome(t);
  const open = (name: string): Promise<Regtest> =>
    createRegtest({ dir: join(home, name), blockIntervalMs: 0, user: "u", password: "p", log: testLog });
  const first = await open("regtest");
  const { address } = createAnchorWallet({ privateKey: KEYS.anchorKey, network: "regtest" });
  const { txid, vout } = await first.fundAddress(address, 100_000_000n);
  await first.mine(1);
  await first.close();
  cpSync(join(home, "regtest"), join(home, "other"), { recursive: true });
  const [regtest, other] = [await open("regtest"), await open("other")];
  atEnd(t, () => regtest.close());
  atEnd(t, () => other.close());
  const node = await runNode(t, home);
  return { home, node, regtest, rpc: createBitcoinRpc({ url: regtest.url }), other, funding: { txid, vout } };
}

interface Running {
  readonly client: ServiceClient;
  /** What it warned of. */
  readonly warned: readonly string[];
  close(): Promise<void>;
}

/** The service on a home. */
async function serve(t: TestContext, bench: Bench, home: string, regtest = bench.regtest): Promise<Running> {
  const warned: string[] = [];
  const log = { ...testLog, warn: (_: object, message: string) => void warned.push(message) };
  const service = await startService({
    ...{ ...serviceOptions(home), ...KEYS, ...endpoints(bench.node), log },
    bitcoin: { kind: "rpc", network: "regtest", urls: [regtest.url], funding: [bench.funding] },
    policy: {
      ...{ batchIntervalMs: 50, batchSlots: 512, anchorPeriodMs: 50, pollMs: 50 },
      ...{ finalDepth: FINAL_DEPTH, bumpBlocks: BUMP_BLOCKS },
    },
  });
  atEnd(t, () => service.close());
  const client = createServiceClient({ url: service.url, token: TOKEN, timeoutMs: 60_000 });
  return { client, warned, close: () => service.close() };
}

async function submit({ client }: Running, n: number): Promise<string> {
  const proof_data = JSON.stringify({ system: "commitment", value: `0x${n.toString(16).padStart(64, "0")}` });
  return (await client.submitProof({ proof_data, chain_id: "restore" })).id;
}

/** The newest anchor once it is another one than `before` and in the node's mempool. */
function sent({ client }: Running, rpc: BitcoinRpc, before?: string): Promise<{ txid: string; raw: Uint8Array }> {
  return until("an anchor is sent", async () => {
    const [anchor] = (await client.anchors()).items;
    if (anchor === undefined || anchor.txid === before) return undefined;
    const known = await rpc.getRawTransaction(anchor.txid);
    return known !== null && known.blockHash === undefined && { txid: anchor.txid, raw: known.raw };
  });
}

function finalOf({ client }: Running, id: string): Promise<SubmissionResource> {
  return until(`${id} is final`, async () => {
    const now = await client.getProof(id);
    return now.state === "final" && now;
  });
}

/** Submits, anchors and buries. */
async function anchored(running: Running, bench: Bench, n: number, regtest = bench.regtest) {
  const id = await submit(running, n);
  const { raw } = await sent(running, createBitcoinRpc({ url: regtest.url }));
  await regtest.mine(FINAL_DEPTH);
  const { anchor } = await finalOf(running, id);
  const [input] = parseTransaction(raw).inputs;
  return { id, sequence: anchor?.sequence, txid: anchor?.txid, spends: displayHash(input?.txid ?? new Uint8Array()) };
}

async function isProven(text: string, { regtest, rpc }: Bench): Promise<boolean> {
  const { anchor, settlement } = JSON.parse(text);
  const outcome = verifyReceipt(text, {
    validatorsHashes: [String(settlement.consensus.header.validators_hash)],
    bitcoin: {
      ...{ kind: "node", genesisHash: regtest.genesisHash, blockHash: await rpc.getBlockHash(anchor.height) },
      ...{ tip: await rpc.getBlockCount(), minimumDepth: FINAL_DEPTH },
    },
  });
  return outcome.result === "proven";
}

const sequences = async ({ client }: Running) => (await client.anchors()).items.map(({ sequence }) => sequence);

async function restored(t: TestContext, bench: Bench, name: string, regtest?: Regtest): Promise<Running> {
  restoreService(join(bench.home, `from-${name}`), join(bench.home, name));
  return serve(t, bench, join(bench.home, `from-${name}`), regtest);
}

test("anchors made after the backup are found: numbering and coin go on after them, receipts stay true", {
  timeout: 120_000,
}, async (t) => {
  const bench = await startBench(t);
  const { home, regtest, rpc } = bench;
  const original = await serve(t, bench, home);
  await anchored(original, bench, 1);
  await backupService(home, join(home, "a.tar"));
  const second = await submit(original, 2);
  const first = await sent(original, rpc, (await original.client.anchors()).items[1]?.txid);
  await backupService(home, join(home, "b.tar"));
  await regtest.mine(BUMP_BLOCKS, { empty: true });
  const bumped = await sent(original, rpc, first.txid);
  await regtest.mine(FINAL_DEPTH);
  assert.equal((await finalOf(original, second)).anchor?.txid, bumped.txid);
  const third = await anchored(original, bench, 3);
  const receipts = [await original.client.receiptText(second), await original.client.receiptText(third.id)];
  await submit(original, 4);
  const fourth = await sent(original, rpc, third.txid);
  await original.close();

  const { own } = await olderThanAnchors(t, bench, { receipts, waiting: fourth.txid });
  const b = await restored(t, bench, "b.tar");
  const { anchor } = await finalOf(b, second);
  assert.deepEqual([anchor?.sequence, anchor?.txid], [2, bumped.txid], "a variant signed after the backup");
  assert.ok(await isProven(await b.client.receiptText(second), bench));
  const sixth = await anchored(b, bench, 6);
  assert.deepEqual([sixth.sequence, sixth.spends], [6, own]);
  assert.deepEqual(await sequences(b), [6, 2, 1]);
});

/** From a backup with one anchor, while two more are in blocks and a fourth waits for one. */
async function olderThanAnchors(
  t: TestContext,
  bench: Bench,
  later: { readonly receipts: readonly string[]; readonly waiting: string },
): Promise<{ readonly own: string }> {
  const { regtest, rpc } = bench;
  const a = await restored(t, bench, "a.tar");
  const fifth = await submit(a, 5);
  await until("it sees the waiting anchor", async () =>
    a.warned.some((message) => /spends the wallet's coin/.test(message)),
  );
  assert.deepEqual(await sequences(a), [1], "no second transaction spends that coin");
  assert.deepEqual(await rpc.call("getrawmempool"), [later.waiting]);
  await regtest.mine(1);
  const own = await sent(a, rpc);
  assert.equal(displayHash(parseTransaction(own.raw).inputs[0]?.txid ?? new Uint8Array()), later.waiting);
  await regtest.mine(FINAL_DEPTH);
  assert.equal((await finalOf(a, fifth)).anchor?.sequence, 5);
  assert.deepEqual(await sequences(a), [5, 1]);
  assert.ok(a.warned.some((message) => /not in this store/.test(message)));
  for (const text of [...later.receipts, await a.client.receiptText(fifth)]) assert.ok(await isProven(text, bench));
  await a.close();
  return { own: own.txid };
}

test("a backup from before the first anchor: numbering goes on after the newest one", {
  timeout: 120_000,
}, async (t) => {
  const bench = await startBench(t);
  const original = await serve(t, bench, bench.home);
  await backupService(bench.home, join(bench.home, "empty.tar"));
  await anchored(original, bench, 1);
  const second = await anchored(original, bench, 2);
  await original.close();
  const after = await restored(t, bench, "empty.tar");
  const next = await anchored(after, bench, 3);
  assert.deepEqual([next.sequence, next.spends], [3, second.txid]);
});

test("an anchor that the node did not know of is confirmed in place of a new one: that one is made anew", {
  timeout: 120_000,
}, async (t) => {
  const bench = await startBench(t);
  const { home, regtest, rpc, other } = bench;
  const theirs = createBitcoinRpc({ url: other.url });
  const handOver = async (): Promise<void> => {
    for (let height = other.height() + 1; height <= regtest.height(); height += 1) {
      const block = await rpc.getBlock((await rpc.getBlockHash(height)) ?? "");
      await theirs.call("submitblock", [encodeHex(block ?? new Uint8Array())]);
    }
  };
  const original = await serve(t, bench, home);
  const { txid } = await anchored(original, bench, 1);
  await backupService(home, join(home, "a.tar"));
  await submit(original, 2);
  const forgotten = await sent(original, rpc, txid);
  await original.close();
  await handOver();
  const after = await restored(t, bench, "a.tar", other);
  const id = await submit(after, 3);
  const own = await sent(after, theirs, txid);
  assert.notEqual(own.txid, forgotten.txid);
  await regtest.mine(1);
  assert.equal(other.bestBlockHash() === regtest.bestBlockHash(), false);
  await handOver();
  assert.deepEqual(await theirs.call("getrawmempool"), [], "what was in its place is gone");
  await regtest.mine(FINAL_DEPTH - 1);
  await handOver();
  const again = await sent(after, theirs, own.txid);
  assert.equal(displayHash(parseTransaction(again.raw).inputs[0]?.txid ?? new Uint8Array()), forgotten.txid);
  await other.mine(FINAL_DEPTH);
  assert.equal((await finalOf(after, id)).anchor?.sequence, 3);
  assert.deepEqual(await sequences(after), [3, 1]);
});
