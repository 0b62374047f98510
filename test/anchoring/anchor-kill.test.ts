/**
 * SIGKILL around every step of anchoring, in a seeded order (`CAIRN_KILL_SEED`), while blocks come, stay empty and are
 * reorganised: no root is anchored by two transactions that could both confirm, no batch twice or never, receipts stand
 * in the best chain, and the wallet's coins and the fees paid are what was funded, to the satoshi.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { type Coin, createAnchorWallet, createBitcoinRpc, createRegtest, type Regtest } from "@cairn/bitcoin-node";
import { openSqliteStore } from "../../packages/aggregator/src/sqlite/sqlite-store.ts";
import { advancePayments } from "../../packages/aggregator/src/testing/payment-steps.ts";
import { seededRandom } from "../e2e/seeded-random.ts";
import { checkAnchors, checkReceipts, checkSent, readBooks, unspentOf } from "./anchor-books.ts";
import type { AnchoringOrder, KillPoint } from "./anchoring-child.ts";

const SEED = Number(process.env.CAIRN_KILL_SEED ?? 20_261_121);
const CHILD = fileURLToPath(new URL("anchoring-child.ts", import.meta.url));
const LOG = { debug() {}, info() {}, warn() {}, error() {} };
const SECRET = new Uint8Array(32).fill(0x21);
const FUNDED_SAT = [500_000, 300_000] as const;
const FINAL_DEPTH = 2;
const MOST_STEPS = 600;
const METHODS = [
  ...["sign", "createAnchor", "broadcast", "anchorAccepted", "bump", "addVariant"],
  ...["anchorMined", "anchorLost", "anchorFinal"],
];
const PHASES = ["before", "during", "after"] as const;

interface Bench {
  readonly file: string;
  readonly regtest: Regtest;
  readonly coins: readonly Coin[];
  /** Nothing is reorganised at or below. */
  readonly ground: number;
  readonly random: () => number;
  /** Everything handed to the node, in hex. */
  readonly sent: Set<string>;
  batches: number;
}

async function startBench(t: TestContext): Promise<Bench> {
  const dir = mkdtempSync(join(tmpdir(), "cairn-anchor-kill-"));
  const regtest = await createRegtest({
    dir: join(dir, "bitcoin"),
    blockIntervalMs: 0,
    user: "u",
    password: "p",
    log: LOG,
  });
  t.after(async () => {
    await regtest.close();
    rmSync(dir, { recursive: true, force: true });
  });
  const { address } = createAnchorWallet({ privateKey: SECRET, network: "regtest" });
  const coins: Coin[] = [];
  for (const valueSat of FUNDED_SAT) coins.push(await regtest.fundAddress(address, BigInt(valueSat)));
  await regtest.mine(1);
  const random = seededRandom(SEED);
  return { file: join(dir, "store.db"), regtest, coins, ground: regtest.height(), random, sent: new Set(), batches: 0 };
}

/** The matrix in the seed's order. */
function killPoints(random: () => number): readonly KillPoint[] {
  const points = METHODS.flatMap((method) => PHASES.map((phase) => ({ method, phase, delayMs: random() * 4 })));
  const ordered = points.map((point) => ({ point, place: random() })).sort((a, b) => a.place - b.place);
  return ordered.map(({ point }) => point);
}

interface Child {
  readonly process: ChildProcess;
  readonly gone: Promise<unknown>;
  /** Resolves true after so many further steps, false when the process is gone. */
  steps(count: number): Promise<boolean>;
}

function startChild(bench: Bench, kill?: KillPoint): Child {
  const order: AnchoringOrder = {
    ...{ file: bench.file, url: bench.regtest.url, secret: Buffer.from(SECRET).toString("hex") },
    ...{ funding: bench.coins.map(({ txid, vout }) => ({ txid, vout })), finalDepth: FINAL_DEPTH, bumpBlocks: 1 },
    ...(kill === undefined ? {} : { kill }),
  };
  const flags = ["--conditions=cairn-source", "--disable-warning=ExperimentalWarning"];
  const child = spawn(process.execPath, [...flags, CHILD, JSON.stringify(order)], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, NODE_COMPILE_CACHE: `${bench.file}.compiled` },
  });
  const gone = once(child, "close");
  const lines = child.stdout.setEncoding("utf8")[Symbol.asyncIterator]();
  let rest = "";
  let pending = 0;
  const steps = async (count: number): Promise<boolean> => {
    while (pending < count) {
      const { done, value } = await lines.next();
      if (done === true) return false;
      const whole = (rest + value).split("\n");
      rest = whole.pop() ?? "";
      for (const line of whole) {
        if (line === "step") pending += 1;
        else bench.sent.add(line.slice("sent ".length));
      }
    }
    pending -= count;
    return true;
  };
  return { process: child, gone, steps };
}

/** Blocks that bring a process to a method: empty ones make it offer more, reorganisations make it lose an anchor. */
async function turn(bench: Bench, method: string): Promise<void> {
  const { regtest, random } = bench;
  const losesOne = method === "anchorLost";
  if (random() < (losesOne ? 0.4 : 0.05)) return reorganise(bench, losesOne ? 24 : 4);
  const wantsEmpty = method === "bump" || method === "addVariant";
  await regtest.mine(1, { empty: wantsEmpty || random() < 0.15 });
}

async function reorganise({ regtest, ground, random }: Bench, deepest: number): Promise<void> {
  const depth = Math.min(1 + Math.floor(random() * deepest), regtest.height() - ground);
  if (depth < 1) return;
  const rpc = createBitcoinRpc({ url: regtest.url });
  await regtest.invalidateBlock((await rpc.getBlockHash(regtest.height() - depth + 1)) ?? "");
  await regtest.mine(depth + 1, { empty: true });
}

/** Settles one or two batches more; nobody else has the store open. */
async function addBatches(bench: Bench): Promise<void> {
  const store = openSqliteStore(bench.file);
  const count = 1 + Math.floor(bench.random() * 2);
  for (let n = 0; n < count; n += 1, bench.batches += 1) await advancePayments(store, [`batch ${bench.batches}`]);
  await store.close();
}

async function checkStore(bench: Bench): Promise<void> {
  const store = openSqliteStore(bench.file);
  try {
    await checkAnchors(store);
    await checkSent(store, bench.sent);
    await checkReceipts(store);
    assert.equal((await readBooks(store)).batches.length, bench.batches);
  } finally {
    await store.close();
  }
}

async function killAt(bench: Bench, kill: KillPoint): Promise<void> {
  await addBatches(bench);
  const child = startChild(bench, kill);
  for (let count = 0; await child.steps(2); count += 2) {
    if (count > MOST_STEPS) child.process.kill("SIGKILL");
    assert.ok(count <= MOST_STEPS, `${kill.phase} ${kill.method} was not reached`);
    await turn(bench, kill.method);
  }
  const [, signal] = (await child.gone) as [unknown, unknown];
  assert.equal(signal, "SIGKILL");
  await checkStore(bench);
}

/** Lets a process live until everything is final. */
async function finish(bench: Bench): Promise<void> {
  const child = startChild(bench);
  const database = new DatabaseSync(bench.file, { readOnly: true });
  const open = database.prepare("SELECT count(*) AS n FROM batches WHERE state <> 'final'");
  for (let count = 0; open.get()?.n !== 0; count += 2) {
    assert.ok(count <= MOST_STEPS && (await child.steps(2)), "everything becomes final");
    await bench.regtest.mine(1);
  }
  database.close();
  child.process.kill("SIGKILL");
  await child.gone;
}

test(`kills around every step of anchoring (CAIRN_KILL_SEED=${SEED})`, { timeout: 300_000 }, async (t) => {
  const bench = await startBench(t);
  const points = killPoints(bench.random);
  for (const kill of points) {
    await killAt(bench, kill).catch((error: unknown) => {
      throw new Error(`CAIRN_KILL_SEED=${SEED}, ${kill.phase} ${kill.method}`, { cause: error });
    });
  }
  await finish(bench);
  await checkStore(bench);
  const store = openSqliteStore(bench.file);
  t.after(() => store.close());
  const rpc = createBitcoinRpc({ url: bench.regtest.url });
  assert.equal(await checkReceipts(store, rpc), bench.batches, "every batch has its receipt");
  const states = await store.countByState();
  assert.equal(states.final, bench.batches, "no submission is stuck");
  const { anchors } = await readBooks(store);
  const fees = anchors.reduce((sum, anchor) => sum + anchor.feeSat, 0);
  const { scriptPubKey } = createAnchorWallet({ privateKey: SECRET, network: "regtest" });
  assert.equal((await unspentOf(rpc, scriptPubKey)) + fees, FUNDED_SAT[0] + FUNDED_SAT[1], "every satoshi is there");
  assert.ok(anchors.length > 5 && anchors.some(({ variants }) => variants.length > 2));
});
