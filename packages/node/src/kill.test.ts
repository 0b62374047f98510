import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { createPublicClient, http, keccak256, type PublicClient } from "viem";
import { mnemonicToAccount } from "viem/accounts";
import { createTestHome } from "./testing/test-home.ts";

const KILLS = 6;
const SEED = 20_240_601;
const alice = mnemonicToAccount("test test test test test test test test test test test junk");
const CAROL = `0x${"cc".repeat(20)}` as const;

/** Numbers from 0 to 1 that follow from the seed (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

async function spawnNode(
  children: ChildProcess[],
  home: string,
  blockIntervalMs = 50,
): Promise<{ child: ChildProcess; reader: PublicClient }> {
  const script = fileURLToPath(new URL("./testing/node-process.ts", import.meta.url));
  const child = spawn(process.execPath, ["--conditions=cairn-source", script, home, `${blockIntervalMs}`], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  assert.ok(child.stdout);
  const [line] = await once(createInterface(child.stdout), "line", { signal: AbortSignal.timeout(20_000) });
  const { jsonRpcUrl, failed } = JSON.parse(line);
  assert.equal(failed, undefined);
  return { child, reader: createPublicClient({ transport: http(jsonRpcUrl, { retryCount: 0 }) }) };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}

/** What was seen committed: block hashes by height, and receipts. */
interface Seen {
  readonly blocks: Map<bigint, string>;
  readonly receipts: Map<string, string>;
}

async function remember(reader: PublicClient, seen: Seen): Promise<void> {
  const block = await reader.getBlock({ blockTag: "latest" });
  seen.blocks.set(block.number, block.hash);
  for (const hash of block.transactions) seen.receipts.set(hash, block.hash);
}

async function checkKept(reader: PublicClient, seen: Seen): Promise<void> {
  for (const [number, hash] of seen.blocks) {
    assert.equal((await reader.getBlock({ blockNumber: number })).hash, hash);
  }
  for (const [hash, blockHash] of seen.receipts) {
    assert.equal((await reader.getTransactionReceipt({ hash: hash as `0x${string}` })).blockHash, blockHash);
  }
}

/** Sends transfers and looks at heads until the process dies. */
async function traffic(reader: PublicClient, chainId: number, seen: Seen): Promise<void> {
  let nonce = await reader.getTransactionCount({ address: alice.address });
  for (;;) {
    const serialized = await alice.signTransaction({
      ...{ type: "eip1559", chainId, nonce, to: CAROL, value: 1n, gas: 21_000n },
      ...{ maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n },
    });
    assert.equal(await reader.sendRawTransaction({ serializedTransaction: serialized }), keccak256(serialized));
    nonce++;
    if (nonce % 5 === 0) await remember(reader, seen);
  }
}

describe("node killed at random moments", () => {
  it(`loses no committed block in ${KILLS} kills under traffic (seed ${SEED})`, { timeout: 120_000 }, async (t) => {
    const home = await createTestHome();
    const children: ChildProcess[] = [];
    t.after(async () => {
      await Promise.all(children.map(kill));
      await home.close();
    });
    const random = seeded(SEED);
    const seen: Seen = { blocks: new Map(), receipts: new Map() };
    let last = 0n;
    for (let round = 0; round < KILLS; round++) {
      const { child, reader } = await spawnNode(children, home.dir);
      const chainId = await reader.getChainId();
      await checkKept(reader, seen);
      assert.ok((await reader.getBlockNumber()) >= last, "continues from its last committed block");
      const timer = setTimeout(() => child.kill("SIGKILL"), 300 + random() * 900);
      await assert.rejects(traffic(reader, chainId, seen));
      clearTimeout(timer);
      await kill(child);
      for (const number of seen.blocks.keys()) if (number > last) last = number;
    }
    const { reader } = await spawnNode(children, home.dir);
    await checkKept(reader, seen);
    assert.ok(seen.receipts.size > 0, "transactions were included");
    const nonce = await reader.getTransactionCount({ address: alice.address });
    assert.equal(await reader.getBalance({ address: CAROL }), BigInt(nonce), "each included transfer counts once");
  });
});

describe("pool of a killed node", () => {
  it("holds every transaction that was answered, also behind a torn journal", { timeout: 120_000 }, async (t) => {
    const home = await createTestHome();
    const children: ChildProcess[] = [];
    t.after(async () => {
      await Promise.all(children.map(kill));
      await home.close();
    });
    const hour = 3_600_000;
    const status = (reader: PublicClient): Promise<unknown> => reader.request({ method: "txpool_status" as never });
    const { child, reader } = await spawnNode(children, home.dir, hour);
    const chainId = await reader.getChainId();
    const nonces = [...Array(40).keys(), 50, 51];
    const answers = nonces.map(async (nonce) =>
      reader.sendRawTransaction({
        serializedTransaction: await alice.signTransaction({
          ...{ type: "eip1559", chainId, nonce, to: CAROL, value: 1n, gas: 21_000n },
          // Below the base fee of the first blocks: pooled until it has fallen.
          ...{ maxFeePerGas: 10n ** 8n, maxPriorityFeePerGas: 1n },
        }),
      }),
    );
    const hashes = await Promise.all(answers);
    await kill(child);
    // What a power loss in the middle of a write leaves.
    await appendFile(join(home.dir, "data/txpool.journal"), Uint8Array.of(0, 0, 1, 0, 7, 7, 7, 7, 2));
    const again = await spawnNode(children, home.dir, hour);
    assert.deepEqual(await status(again.reader), { pending: "0x28", queued: "0x2" });
    assert.equal(await again.reader.getTransactionCount({ address: alice.address, blockTag: "pending" }), 40);
    for (const hash of hashes) assert.equal((await again.reader.getTransaction({ hash })).blockNumber, null);
    await kill(again.child);
    const mining = await spawnNode(children, home.dir);
    await mining.reader.waitForTransactionReceipt({ hash: hashes[39] ?? "0x", pollingInterval: 20 });
    assert.equal(await mining.reader.getBalance({ address: CAROL }), 40n);
    assert.deepEqual(await status(mining.reader), { pending: "0x0", queued: "0x2" });
  });
});
