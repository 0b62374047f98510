import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { methodTables } from "@cairn/api";
import fc from "fast-check";
import { type Address, type Hex, keccak256 } from "viem";
import { mnemonicToAccount } from "viem/accounts";
import { type LiveNode, type RpcReply, startLiveNode } from "./testing/live-node.ts";

const MNEMONIC = "test test test test test test test test test test test junk";
const alice = mnemonicToAccount(MNEMONIC, { addressIndex: 3 });
const nobody: Address = `0x${"ee".repeat(20)}`;
const NO_HASH = `0x${"0f".repeat(32)}`;

let node: LiveNode;
before(async () => {
  node = await startLiveNode({ automine: false });
});
after(async () => {
  await node.close();
});

interface Draft {
  readonly nonce: number;
  readonly fee?: bigint;
  readonly chainId?: number;
  readonly gas?: bigint;
  readonly value?: bigint;
}

function sign({ nonce, fee = 2_000_000_000n, chainId = 358_587, gas = 21_000n, value = 1n }: Draft): Promise<Hex> {
  const fees = { maxFeePerGas: fee, maxPriorityFeePerGas: fee };
  return alice.signTransaction({ type: "eip1559", chainId, nonce, to: nobody, value, gas, ...fees });
}

const fails = async (code: number, message: RegExp | string, method: string, ...params: unknown[]): Promise<void> => {
  const { error } = await node.rpc(method, ...params);
  assert.equal(error?.code, code, `${method} ${JSON.stringify(params)}: ${error?.message}`);
  if (typeof message === "string") assert.equal(error.message, message);
  else assert.match(error.message, message);
};
const result = async (method: string, ...params: unknown[]): Promise<unknown> => {
  const reply: RpcReply = await node.rpc(method, ...params);
  assert.equal(reply.error, undefined, `${method}: ${reply.error?.message}`);
  return reply.result;
};

test("the node's own facts", async () => {
  assert.equal(await result("eth_chainId"), "0x578bb");
  assert.equal(await result("net_version"), "358587");
  assert.equal(await result("net_peerCount"), 0);
  assert.equal(await result("net_listening"), true);
  assert.equal(await result("eth_syncing"), false);
  assert.deepEqual(await result("eth_accounts"), []);
  assert.equal(await result("eth_protocolVersion"), "0x41");
  assert.equal(await result("web3_clientVersion"), "Cairn/test");
  const hashed = "0x47173285a8d7341e5e972fc677286384f802f8ef42a5ec5f03bbfa254cb01fad";
  assert.equal(await result("web3_sha3", "0x68656c6c6f20776f726c64"), hashed);
  assert.match(String(await result("eth_coinbase")), /^0x[0-9a-f]{40}$/);
  const modules = (await result("rpc_modules")) as Record<string, string>;
  const names = ["debug", "eth", "miner", "net", "ots", "personal", "rpc", "trace", "txpool", "web3"];
  assert.deepEqual(Object.keys(modules), names);
});

test("block 0 exists and unknown things are null", async () => {
  const genesis = (await result("eth_getBlockByNumber", "earliest", true)) as { number: string; hash: string };
  assert.equal(genesis.number, "0x0");
  assert.deepEqual(await result("eth_getBlockByHash", genesis.hash, true), genesis);
  assert.deepEqual(await result("eth_getBlockReceipts", { blockNumber: "0x0" }), []);
  for (const [method, ...params] of [
    ["eth_getBlockByNumber", "0xffff", false],
    ["eth_getBlockByHash", NO_HASH, false],
    ["eth_getHeaderByNumber", "0xffff"],
    ["eth_getHeaderByHash", NO_HASH],
    ["eth_getBlockReceipts", "0xffff"],
    ["eth_getBlockTransactionCountByHash", NO_HASH],
    ["eth_getTransactionByHash", NO_HASH],
    ["eth_getTransactionReceipt", NO_HASH],
    ["eth_getTransactionByBlockNumberAndIndex", "latest", "0xff"],
    ["eth_getTransactionbyBlockNumberAndIndex", "latest", "0xff"],
    ["eth_getRawTransactionByHash", NO_HASH],
    ["eth_getUncleByBlockNumberAndIndex", "latest", "0x0"],
  ] as const) {
    assert.equal(await result(method, ...params), null, method);
  }
});

test("proof-of-work fields: constants for strict clients, nulls for who asks", async () => {
  const ask = async (url: string): Promise<Record<string, unknown>> => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getBlockByNumber", params: ["0x0", true] });
    const headers = { "content-type": "application/json" };
    return ((await (await fetch(url, { method: "POST", headers, body })).json()) as { result: never }).result;
  };
  const constants = await ask(node.url);
  assert.equal(constants.difficulty, "0x0");
  assert.equal(constants.nonce, "0x0000000000000000");
  assert.equal(constants.totalDifficulty, "0x0");
  const nulls = await ask(`${node.url}/?pow-fields=null`);
  const changed = { ...constants, difficulty: null, nonce: null, sha3Uncles: null, totalDifficulty: null };
  assert.deepEqual(nulls, changed);
});

test("state of an unknown block is an error, of an unknown account zero", async () => {
  await fails(-32000, "header not found", "eth_getBalance", nobody, "0xffff");
  await fails(-32000, "header for hash not found", "eth_getBalance", nobody, NO_HASH);
  await fails(-32000, "header not found", "eth_call", { to: nobody }, "0xffff");
  assert.equal(await result("eth_getBalance", `0x${"dd".repeat(20)}`), "0x0");
  assert.equal(await result("eth_getCode", nobody, "latest"), "0x");
  assert.equal(await result("eth_getStorageAt", nobody, "0"), `0x${"0".repeat(64)}`);
  assert.equal(await result("eth_getTransactionCount", nobody, "safe"), "0x0");
});

const send = async (draft: Draft): Promise<unknown> => result("eth_sendRawTransaction", await sign(draft));
const sendFails = async (message: RegExp | string, draft: Draft): Promise<void> =>
  fails(-32000, message, "eth_sendRawTransaction", await sign(draft));

test("a raw transaction in the pool", async () => {
  const raw = await sign({ nonce: 0 });
  const hash = keccak256(raw);
  assert.equal(await result("eth_sendRawTransaction", raw), hash);
  await fails(-32000, "already known", "eth_sendRawTransaction", raw);
  const pooled = (await result("eth_getTransactionByHash", hash)) as Record<string, unknown>;
  assert.equal(pooled.blockHash, null);
  assert.equal(pooled.from, alice.address.toLowerCase());
  assert.equal(await result("eth_getRawTransactionByHash", hash), raw);
  assert.equal(await result("eth_getTransactionReceipt", hash), null);
  assert.equal(await result("eth_getTransactionCount", alice.address, "pending"), "0x1");
  assert.equal(await result("eth_getTransactionCount", alice.address), "0x0");
  assert.equal(await result("eth_getBlockTransactionCountByNumber", "pending"), "0x1");
  const pending = (await result("eth_getBlockByNumber", "pending", false)) as Record<string, unknown>;
  assert.deepEqual([pending.hash, pending.nonce, pending.miner, pending.transactions], [null, null, null, [hash]]);
});

test("raw transactions are refused with geth's texts", async () => {
  await sendFails("replacement transaction underpriced", { nonce: 0, value: 2n });
  await sendFails(/^invalid sender: invalid chain id for signer/, { nonce: 1, chainId: 1 });
  await sendFails(/^intrinsic gas too low: gas 20999/, { nonce: 1, gas: 20_999n });
  await sendFails(/^tx fee \(.* ether\) exceeds the configured cap \(1\.00 ether\)$/, { nonce: 1, fee: 10n ** 15n });
  await sendFails(/^insufficient funds/, { nonce: 1, value: 10n ** 30n });
  await fails(-32000, "typed transaction too short", "eth_sendRawTransaction", "0x02");
  await fails(-32000, "transaction type not supported", "eth_sendRawTransaction", "0x03c0");
  await fails(-32602, /^invalid argument 0/, "eth_sendRawTransaction", "02");
});

test("a mined transaction has every field it had in the pool", async () => {
  const raw = await sign({ nonce: 0 });
  const hash = keccak256(raw);
  const pooled = (await result("eth_getTransactionByHash", hash)) as Record<string, unknown>;
  await node.produce();
  const receipt = (await result("eth_getTransactionReceipt", hash)) as Record<string, unknown>;
  assert.equal(receipt.status, "0x1");
  await sendFails("nonce too low: next nonce 1, tx nonce 0", { nonce: 0, value: 3n });
  const mined = (await result("eth_getTransactionByHash", hash)) as Record<string, unknown>;
  const place = ["blockHash", "blockNumber", "blockTimestamp", "transactionIndex", "gasPrice"];
  for (const key of Object.keys(pooled).filter((name) => !place.includes(name))) {
    assert.deepEqual(mined[key], pooled[key], key);
  }
  assert.deepEqual(
    place.filter((key) => !(key in mined)),
    [],
  );
  assert.equal(await result("eth_getRawTransactionByBlockNumberAndIndex", "latest", "0x0"), raw);
  assert.equal(await result("eth_getRawTransactionByBlockHashAndIndex", mined.blockHash, "0x0"), raw);
  assert.equal(await result("debug_getRawTransaction", hash), raw);
});

test("the pool by sender and nonce", async () => {
  await send({ nonce: 1 });
  await send({ nonce: 5 });
  assert.deepEqual(await result("txpool_status"), { pending: "0x1", queued: "0x1" });
  assert.equal(await result("eth_getBlockTransactionCountByNumber", "pending"), "0x1");
  const next = keccak256(await sign({ nonce: 2, value: 7n }));
  await send({ nonce: 2, value: 7n });
  const ahead = (await result("eth_getBlockByNumber", "pending", true)) as { transactions: { hash: string }[] };
  assert.equal(ahead.transactions[1]?.hash, next);
  const inspect = (await result("txpool_inspect")) as { pending: Record<string, Record<string, string>> };
  const line = inspect.pending[alice.address]?.["1"];
  assert.equal(line, "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE: 1 wei + 21000 gas × 2000000000 wei");
  const content = (await result("txpool_content")) as { queued: Record<string, Record<string, { nonce: string }>> };
  assert.equal(content.queued[alice.address]?.["5"]?.nonce, "0x5");
  const from = (await result("txpool_contentFrom", alice.address)) as { pending: object; queued: object };
  assert.deepEqual([Object.keys(from.pending), Object.keys(from.queued)], [["1", "2"], ["5"]]);
  await node.produce();
  assert.deepEqual(await result("txpool_status"), { pending: "0x0", queued: "0x1" });
});

test("calls and estimates", async () => {
  assert.equal(await result("eth_call", { to: nobody }), "0x");
  assert.equal(await result("eth_estimateGas", { from: alice.address, to: nobody, value: "0x1" }), "0x5208");
  await fails(3, "execution reverted", "eth_call", { data: "0x5f5ffd" });
  const { error } = await node.rpc("eth_call", { data: "0x5f5ffd" });
  assert.equal(error?.data, "0x");
  await fails(-32000, /^invalid opcode/, "eth_call", { data: "0xfe" });
  await fails(-32000, /^both gasPrice and/, "eth_call", { to: nobody, gasPrice: "0x1", maxFeePerGas: "0x1" });
  await fails(-32000, /^err: max priority fee per gas higher than max fee per gas: /, "eth_call", {
    to: nobody,
    maxPriorityFeePerGas: "0x2",
    maxFeePerGas: "0x1",
  });
  await fails(-32602, /^invalid argument 2: /, "eth_call", { to: nobody }, "latest", { nobody: {} });
  await fails(-32000, /^gas required exceeds allowance/, "eth_estimateGas", {
    to: nobody,
    data: `0x${"11".repeat(40_000)}`,
    gas: "0x5300",
  });
});

test("fees", async () => {
  const price = BigInt(String(await result("eth_gasPrice")));
  const tip = BigInt(String(await result("eth_maxPriorityFeePerGas")));
  const { baseFeePerGasWei, nextBaseFeePerGasWei } = node.chain.head();
  const fees = [baseFeePerGasWei, nextBaseFeePerGasWei];
  assert.ok(fees.includes(price - tip) && fees.every((fee) => fee <= price - tip));
  const history = (await result("eth_feeHistory", 2, "latest", [25, 75])) as Record<string, unknown[]>;
  assert.equal(history.baseFeePerGas?.length, 3);
  assert.equal(history.reward?.length, 2);
  await fails(-32000, /^request beyond head block: requested 65535/, "eth_feeHistory", "0x1", "0xffff", []);
  await fails(-32000, "invalid reward percentile: 101.000000", "eth_feeHistory", "0x1", "latest", [101]);
  await fails(
    -32000,
    "invalid reward percentile: #0:5.000000 >= #1:5.000000",
    "eth_feeHistory",
    "0x1",
    "latest",
    [5, 5],
  );
});

test("filters and log queries: kinds, ranges, errors", async () => {
  const blocks = await result("eth_newBlockFilter");
  const pending = await result("eth_newPendingTransactionFilter");
  const logs = await result("eth_newFilter", { topics: [] });
  assert.match(String(blocks), /^0x[1-9a-f][0-9a-f]{31}$/);
  const hash = await send({ nonce: 3 });
  await node.produce();
  assert.deepEqual(await result("eth_getFilterChanges", blocks), [node.chain.head().hash]);
  assert.deepEqual(await result("eth_getFilterChanges", blocks), []);
  assert.deepEqual(await result("eth_getFilterChanges", pending), [hash]);
  assert.deepEqual(await result("eth_getFilterChanges", logs), []);
  assert.deepEqual(await result("eth_getFilterLogs", logs), []);
  await fails(-32000, `filter ${blocks} doesn't have a LogsSubscription type: got 5`, "eth_getFilterLogs", blocks);
  await fails(-32000, `filter ${pending} doesn't have a LogsSubscription type: got 4`, "eth_getFilterLogs", pending);
  assert.equal(await result("eth_uninstallFilter", blocks), true);
  assert.equal(await result("eth_uninstallFilter", blocks), false);
  await fails(-32000, "filter not found", "eth_getFilterChanges", blocks);

  assert.deepEqual(await result("eth_getLogs", {}), []);
  assert.deepEqual(await result("eth_getLogs", { blockhash: node.chain.head().hash }), []);
  await fails(-32602, "block range extends beyond current head block", "eth_getLogs", { toBlock: "0xffff" });
  await fails(-32602, "invalid block range params", "eth_getLogs", { fromBlock: "0x2", toBlock: "0x1" });
  await fails(-32602, /cannot specify both BlockHash/, "eth_getLogs", { blockHash: NO_HASH, toBlock: "0x1" });
  await fails(-32000, "unknown block", "eth_getLogs", { blockHash: NO_HASH });
  await fails(-32602, "pending logs are not supported", "eth_newFilter", { toBlock: "pending" });
  await fails(-32602, /exceed max topics/, "eth_getLogs", { topics: [null, null, null, null, null] });
});

test("names that are not served say why", async () => {
  await fails(-32601, "the method eth_nope does not exist/is not available", "eth_nope");
  await fails(-32601, /no proof of work/, "eth_getWork");
  await fails(-32601, "notifications not supported", "eth_subscribe", "newHeads");
  await fails(4100, "unauthorized", "miner_stop");
});

test("whatever is sent, no handler fails inside", async () => {
  const names = Object.values(methodTables).flatMap((table) => Object.keys(table));
  const plausible = fc.oneof(
    fc.constantFrom(
      "latest",
      "pending",
      "earliest",
      "0x0",
      "0x1",
      "0xffff",
      NO_HASH,
      nobody,
      alice.address,
      true,
      "0x",
    ),
    fc.constantFrom({}, { to: nobody, data: "0xfe" }, { fromBlock: "earliest" }, { blockHash: NO_HASH }, [], [50], 3),
    fc.jsonValue({ maxDepth: 4 }),
    fc.bigInt({ min: 0n, max: 2n ** 70n }).map((n) => `0x${n.toString(16)}`),
  );
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...names), fc.array(plausible, { maxLength: 4 }), async (name, params) => {
      const { error } = await node.asOperator(name, ...params);
      if (error !== undefined) assert.notEqual(error.code, -32603, `${name} ${JSON.stringify(params)}`);
    }),
    { numRuns: 1500 },
  );
  assert.deepEqual(node.faults, []);
});
