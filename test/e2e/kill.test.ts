/**
 * SIGKILL at random moments while transactions and proofs are submitted: the chain continues with the same hashes, what
 * was included stays, what was acknowledged becomes final, nothing is settled or anchored twice.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createPublicClient, createWalletClient, defineChain, type Hex, http, parseEther } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { groth16Cases, proofData } from "../vectors.ts";
import { freeOffset, type SandboxProcess, startSandbox, temporaryHome } from "./cairn-process.ts";
import { seededRandom } from "./seeded-random.ts";
import { call, reached, submit } from "./service-client.ts";
import { until } from "./until.ts";

const KILLS = 6;
const SEED = Number(process.env.CAIRN_KILL_SEED ?? 20_261_121);

interface Ledger {
  /** Height → hash of every block seen. */
  readonly blocks: Map<bigint, Hex>;
  /** Included transactions → block hash. */
  readonly included: Map<Hex, Hex>;
  /** Ids answered with 202. */
  readonly acknowledged: Set<string>;
}

test(`${KILLS} kills under load lose nothing and double nothing (seed ${SEED})`, async () => {
  const random = seededRandom(SEED);
  const home = temporaryHome();
  const portOffset = await freeOffset();
  const ledger: Ledger = { blocks: new Map(), included: new Map(), acknowledged: new Set() };
  for (let round = 0; round < KILLS; round += 1) {
    const sandbox = await startSandbox({ home, portOffset, args: ["--consensus.block-interval", "200ms"] });
    await checkHistory(sandbox, ledger);
    const load = loadUntilDead(sandbox, ledger, round);
    await new Promise((resolve) => setTimeout(resolve, 300 + random() * 2500));
    await sandbox.kill();
    await load;
  }
  const sandbox = await startSandbox({ home, portOffset, args: ["--consensus.block-interval", "200ms"] });
  await checkHistory(sandbox, ledger);
  assert.ok(ledger.included.size > 0, "some transactions were included");
  assert.ok(ledger.acknowledged.size > KILLS, "some submissions were acknowledged");
  for (const id of ledger.acknowledged) assert.equal((await reached(sandbox.ready, id, "final")).state, "final");
  await checkRegisters(sandbox);
  assert.equal(await sandbox.stop(), 0);
});

function clients({ ready }: SandboxProcess) {
  const chain = defineChain({
    id: ready.evm_chain_id,
    name: "cairn",
    nativeCurrency: { name: "Cairn", symbol: "CRN", decimals: 18 },
    rpcUrls: { default: { http: [ready.json_rpc_url] } },
  });
  const transport = http(ready.json_rpc_url, { retryCount: 0, timeout: 5000 });
  const reader = createPublicClient({ chain, transport, pollingInterval: 50 });
  return { chain, transport, reader };
}

/** Every block and inclusion seen before is still there, and the chain moves on. */
async function checkHistory(sandbox: SandboxProcess, ledger: Ledger): Promise<void> {
  const { reader } = clients(sandbox);
  for (const [height, hash] of ledger.blocks) {
    assert.equal((await reader.getBlock({ blockNumber: height })).hash, hash, `block ${height}`);
  }
  for (const [hash, blockHash] of ledger.included) {
    assert.equal((await reader.getTransactionReceipt({ hash })).blockHash, blockHash);
  }
  const head = await reader.getBlockNumber();
  await until("a new block", async () => (await reader.getBlockNumber({ cacheTime: 0 })) > head);
}

/** Sends transfers and proofs until the process is gone; remembers only what was confirmed to it. */
async function loadUntilDead(sandbox: SandboxProcess, ledger: Ledger, round: number): Promise<void> {
  await Promise.all([transfer(sandbox, ledger), prove(sandbox, ledger, round), observe(sandbox, ledger)]);
}

function alive({ child }: SandboxProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

/** Ends quietly when the process died under it; any other failure is one. */
async function whileAlive(sandbox: SandboxProcess, step: () => Promise<void>): Promise<void> {
  while (alive(sandbox)) {
    try {
      await step();
    } catch (error) {
      if (!(await until("the process is seen dead", () => !alive(sandbox), 5000).catch(() => false))) throw error;
    }
  }
}

async function transfer(sandbox: SandboxProcess, ledger: Ledger): Promise<void> {
  const { chain, transport, reader } = clients(sandbox);
  const wallet = createWalletClient({
    chain,
    transport,
    account: privateKeyToAccount(sandbox.ready.funded_private_key),
  });
  await whileAlive(sandbox, async () => {
    const to = privateKeyToAccount(generatePrivateKey()).address;
    const hash = await wallet.sendTransaction({ to, value: parseEther("0.001") });
    const receipt = await reader.waitForTransactionReceipt({ hash, timeout: 4000 });
    ledger.included.set(hash, receipt.blockHash);
  });
}

async function prove(sandbox: SandboxProcess, ledger: Ledger, round: number): Promise<void> {
  const valid = groth16Cases().cases.filter((item) => item.expected === "valid");
  let i = 0;
  await whileAlive(sandbox, async () => {
    const item = valid[i % valid.length];
    assert.ok(item);
    const body = { proof_data: proofData(item), chain_id: "kill", block_number: String(round * 1_000_000 + i) };
    const answer = await submit(sandbox.ready, body);
    if (answer.status === 202) ledger.acknowledged.add(answer.body.id);
    i += 1;
  });
}

async function observe(sandbox: SandboxProcess, ledger: Ledger): Promise<void> {
  const { reader } = clients(sandbox);
  await whileAlive(sandbox, async () => {
    const block = await reader.getBlock();
    const known = ledger.blocks.get(block.number);
    assert.ok(known === undefined || known === block.hash, `block ${block.number} changed`);
    ledger.blocks.set(block.number, block.hash);
    await new Promise((resolve) => setTimeout(resolve, 50));
  });
}

interface Batch {
  readonly number: number;
  readonly commitment: string;
}

/** Batch numbers are 1, 2, 3, …, each settled by one transaction; each commitment is in one anchor. */
async function checkRegisters({ ready }: SandboxProcess): Promise<void> {
  const batches = await pages<Batch>(ready, "/v1/batches");
  const numbers = batches.map((batch) => batch.number).sort((a, b) => a - b);
  assert.deepEqual(
    numbers,
    Array.from({ length: numbers.length }, (_, i) => i + 1),
  );
  assert.equal(new Set(batches.map((batch) => batch.commitment)).size, batches.length);
  const anchors = await pages<{ readonly sequence: number; readonly batches: readonly number[] }>(ready, "/v1/anchors");
  const anchored = anchors.flatMap((anchor) => anchor.batches);
  assert.equal(new Set(anchored).size, anchored.length, "a batch is anchored once");
}

async function pages<T>(ready: SandboxProcess["ready"], path: string): Promise<readonly T[]> {
  const items: T[] = [];
  let cursor: unknown;
  do {
    const query = cursor === undefined ? "" : `&cursor=${encodeURIComponent(String(cursor))}`;
    const { body } = await call(ready, `${path}?limit=100${query}`);
    items.push(...(body.items as readonly T[]));
    cursor = body.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return items;
}
