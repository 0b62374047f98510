import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { account, consensusHash, MINER, openTestChain, transfer } from "./testing/test-chain.ts";

const [alice, bob] = [account(0), account(1)];
const writer = fileURLToPath(new URL("./testing/block-writer.ts", import.meta.url));

test("committed blocks survive a restart, an executed one that was not committed does not", async () => {
  const chain = await openTestChain();
  const { commit } = await chain.mine([await transfer({ from: alice, nonce: 0, to: bob.address, value: 3n })]);
  const lost = await chain.execute([await transfer({ from: alice, nonce: 1, to: bob.address, value: 3n })]);
  const block = await chain.native.blockJson(1n, true);
  const receipts = await chain.native.blockReceiptsJson(1n);
  const again = await chain.reopen();
  try {
    assert.deepEqual(again.native.head(), commit.head);
    assert.equal(await again.native.blockJson(1n, true), block);
    assert.equal(await again.native.blockReceiptsJson(1n), receipts);
    assert.equal(again.native.blockNumber(lost.hash), undefined);
    await assert.rejects(again.native.commit(), { code: "state" });
    const redone = await again.mine([await transfer({ from: alice, nonce: 1, to: bob.address, value: 3n })]);
    assert.equal(redone.block.hash, lost.hash);
  } finally {
    await again.close();
  }
});

test("two nodes given the same blocks have the same hashes", async () => {
  const [one, two] = [await openTestChain(), await openTestChain()];
  try {
    for (let nonce = 0; nonce < 3; nonce++) {
      const txs = [await transfer({ from: alice, nonce, to: bob.address, value: 1n })];
      const [left, right] = [await one.mine(txs), await two.mine(txs)];
      assert.equal(left.block.hash, right.block.hash);
    }
  } finally {
    await one.close();
    await two.close();
  }
});

test("kill -9 in the middle of committing loses no committed block", async () => {
  const chain = await openTestChain();
  await chain.native.close();
  const child = spawn(process.execPath, [...process.execArgv, "--conditions=cairn-source", writer, chain.dir], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let last = { number: 0n, hash: "" };
  for await (const line of createInterface({ input: child.stdout })) {
    const [number = "", hash = ""] = line.split(" ");
    last = { number: BigInt(number), hash };
    if (last.number === 12n) child.kill("SIGKILL");
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  const again = await openTestChain({ dir: chain.dir });
  try {
    const head = again.native.head();
    assert.ok(head.number >= last.number, `${head.number} < ${last.number}`);
    assert.equal(JSON.parse(again.native.headerJson(last.number) ?? "null").hash, last.hash);
    const state = again.native.account(bob.address, head.number);
    assert.equal(state?.balanceWei, 10_000n * 10n ** 18n + head.number);
    await again.mine([]);
  } finally {
    await again.close();
  }
});

test("a proposal is made on the head state and leaves it alone", async () => {
  const chain = await openTestChain();
  try {
    const before = chain.native.head();
    const raw = await transfer({ from: alice, nonce: 0, to: bob.address, value: 3n });
    const txs = [Buffer.from(raw.slice(2), "hex")];
    const request = { height: 1n, timestamp: before.timestamp, miner: MINER, txs };
    assert.deepEqual(await chain.native.propose(request), [0]);
    assert.deepEqual(await chain.native.propose({ ...request, txs: [...txs, ...txs] }), [0]);
    assert.deepEqual(chain.native.head(), before);
    assert.equal(chain.native.account(alice.address, 0n)?.nonce, 0n);
    await chain.native.execute({ ...request, consensusHash: consensusHash(1n) });
    assert.deepEqual(chain.native.head(), before);
  } finally {
    await chain.close();
  }
});

test("the sources start without a build", () => {
  const program = "import('@cairn/native').then((m) => console.log(typeof m.openNative, typeof m.verifyProofs))";
  const cwd = fileURLToPath(new URL(".", import.meta.url));
  const out = execFileSync(process.execPath, ["--conditions=cairn-source", "-e", program], { cwd, encoding: "utf8" });
  assert.equal(out.trim(), "function function");
});
