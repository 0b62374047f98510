/** Foundry's cast, command by command, against the node. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { privateKeyToAddress } from "viem/accounts";
import { ROOT } from "../../tools/stages.ts";
import { counter, type LiveNode, OTHER, startLiveNode } from "./live-node.ts";

// The program itself: the launcher of its package loses exit codes on a busy machine.
const ARCH = process.arch === "x64" ? "amd64" : process.arch;
const CAST = join(ROOT, `node_modules/@foundry-rs/cast-${process.platform}-${ARCH}/bin/cast`);
let node: LiveNode;
let key: string;
let contract: string;

async function cast(...args: readonly string[]): Promise<string> {
  const env = { ...process.env, ETH_RPC_URL: node.httpUrl };
  const { stdout } = await promisify(execFile)(CAST, [...args], { env });
  return stdout.trim();
}
const json = async (...args: readonly string[]) => JSON.parse(await cast(...args, "--json"));
const send = (...args: readonly string[]) => json("send", "--private-key", key, ...args);

before(async () => {
  node = await startLiveNode();
  key = await node.freshKey();
  contract = (await send("--create", counter.bytecode)).contractAddress;
});
after(() => node.close());

test("sends of each classic type; the receipt and the transaction agree", async () => {
  for (const [flags, type] of [
    [["--legacy"], "0x0"],
    [[], "0x2"],
  ] as const) {
    const sent = await send(OTHER, "--value", "1", ...flags);
    assert.equal(sent.status, "0x1");
    assert.equal(sent.type, type);
    const found = await json("tx", sent.transactionHash);
    assert.equal(found.blockHash, sent.blockHash);
    assert.equal((await json("receipt", sent.transactionHash)).gasUsed, sent.gasUsed);
  }
});

test("calls, estimates, logs, storage, code, proofs", async () => {
  const sent = await send(contract, "increase(uint256)", "6");
  assert.equal(await cast("call", contract, "value()(uint256)"), "6");
  assert.equal(BigInt(await cast("storage", contract, "0")), 6n);
  assert.ok(Number(await cast("estimate", contract, "increase(uint256)", "1")) > 21_000);
  const logs = await json("logs", "--from-block", "0", "--address", contract, "Increased(address,uint256,uint256)");
  assert.equal(logs[0]?.transactionHash, sent.transactionHash);
  assert.ok((await cast("code", contract)).length > 100);
  const proof = JSON.parse(await cast("proof", contract, "0"));
  assert.equal(BigInt(proof.storageProof[0].value), 6n);
  await assert.rejects(cast("call", contract, "increase(uint256)", "0"), /nothing to add/);
});

test("blocks, fees, balances, nonces and the node itself", async () => {
  const number = Number(await cast("block-number"));
  const block = await json("block", String(number));
  assert.equal(Number(block.number), number);
  assert.equal(await cast("block", block.hash, "--field", "number"), String(number));
  assert.ok(BigInt(await cast("gas-price")) > 0n);
  assert.ok(BigInt(await cast("base-fee")) >= 0n);
  const address = privateKeyToAddress(key as `0x${string}`);
  assert.ok(BigInt(await cast("balance", address)) > 0n);
  assert.ok(Number(await cast("nonce", address)) >= 3);
  assert.match(await cast("client"), /^cairn\//i);
  assert.equal(await cast("chain-id"), String(node.chainId));
  assert.equal(JSON.parse(await cast("rpc", "eth_syncing")), false);
});
