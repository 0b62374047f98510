import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { mnemonicToAccount } from "viem/accounts";
import { createHandlers } from "./create-handlers.ts";
import { type LiveNode, startLiveNode } from "./testing/live-node.ts";

const MNEMONIC = "test test test test test test test test test test test junk";
const operator = mnemonicToAccount(MNEMONIC, { addressIndex: 0 });
const OPERATOR = operator.address.toLowerCase() as `0x${string}`;
const ETHERBASE = `0x${"ab".repeat(20)}` as const;

let node: LiveNode;
before(async () => {
  node = await startLiveNode();
});
after(async () => {
  assert.deepEqual(node.faults, []);
  await node.close();
});

test("answers as the specification's table", async () => {
  const expected: readonly (readonly [string, readonly unknown[], unknown])[] = [
    ["miner_getHashrate", [], 0],
    ["miner_setExtra", [`0x${"00".repeat(32)}`], false],
    ["miner_start", ["0x1"], false],
    ["miner_stop", [], null],
    ["miner_setGasLimit", ["0x10000"], false],
    ["miner_setGasPrice", ["0x0"], true],
    ["miner_setGasPrice", ["0x3b9aca00"], true],
  ];
  for (const [method, params, result] of expected) {
    assert.equal((await node.rpc(method, ...params)).error?.code, 4100, method);
    assert.deepEqual((await node.asOperator(method, ...params)).result, result, method);
  }
  assert.deepEqual(node.savedGasPrices, [0n, 1_000_000_000n]);
  assert.equal((await node.asOperator("miner_setExtra", `0x${"00".repeat(33)}`)).error?.code, -32602);
  assert.equal((await node.asOperator("miner_setGasPrice", "0x01")).error?.code, -32602);
  assert.equal((await node.asOperator("miner_setGasPrice", `0x${"f".repeat(64)}`)).error?.code, -32602);
});

test("setEtherbase needs the operator's key, and is true once the registry has it", async () => {
  const locked = await node.asOperator("miner_setEtherbase", ETHERBASE);
  assert.deepEqual(
    [locked.error?.code, locked.error?.message],
    [-32000, `authentication needed: unlock the operator's account ${OPERATOR}`],
  );
  assert.equal((await node.rpc("eth_coinbase")).result, OPERATOR);
  await node.keystore.importKey(operator.getHdKey().privateKey ?? new Uint8Array(0), "pass");
  assert.equal((await node.asOperator("personal_unlockAccount", OPERATOR, "pass")).result, true);
  assert.equal((await node.asOperator("miner_setEtherbase", ETHERBASE)).result, true);
  assert.equal((await node.rpc("eth_coinbase")).result, ETHERBASE);
  await node.produce();
  const block = (await node.rpc("eth_getBlockByNumber", "latest", false)).result as { miner: string };
  assert.equal(block.miner, ETHERBASE);
});

test("setEtherbase takes the key of the home, ends with its call, and is for registered validators", async () => {
  const base = { clientVersion: "x", namespaces: [], keystore: node.keystore, saveMinGasPrice: async () => {} };
  const operatorKey = operator.getHdKey().privateKey ?? new Uint8Array(0);
  const consensusAddress = new Uint8Array(20).fill(0x11);
  const handlers = createHandlers(node.chain, { ...base, operatorKey, consensusAddress });
  node.keystore.lock(OPERATOR);
  const ended = new AbortController();
  const context = { transport: "http", remoteAddress: "127.0.0.1", signal: ended.signal } as const;
  assert.equal(await handlers.miner.miner_setEtherbase([OPERATOR], context), "true");
  assert.equal((await node.rpc("eth_coinbase")).result, OPERATOR);
  ended.abort();
  await assert.rejects(
    async () => handlers.miner.miner_setEtherbase([ETHERBASE], context),
    /was sent and not included/,
  );
  handlers.close();
  const stranger = createHandlers(node.chain, { ...base, consensusAddress: new Uint8Array(20).fill(0x12) });
  const live = { ...context, signal: new AbortController().signal };
  await assert.rejects(async () => stranger.miner.miner_setEtherbase([ETHERBASE], live), /is not registered/);
  stranger.close();
});
