/** The reading surface of unmodified viem against the node: every action of a public client that a node answers. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createPublicClient, createWalletClient, type Hex, http, keccak256, type Log, toHex, webSocket } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { until } from "../e2e/until.ts";
import { counter, type LiveNode, OTHER, startLiveNode, viemChain } from "./live-node.ts";

let node: LiveNode;
let contract: Hex;
let account: ReturnType<typeof privateKeyToAccount>;
const { abi } = counter;
const chain = () => viemChain(node.sandbox);
const reader = () => createPublicClient({ chain: chain(), transport: http(), pollingInterval: 100 });
const wallet = () => createWalletClient({ chain: chain(), transport: http(), account });

async function increase(amount: bigint) {
  const hash = await wallet().writeContract({ address: contract, abi, functionName: "increase", args: [amount] });
  return reader().waitForTransactionReceipt({ hash });
}

before(async () => {
  node = await startLiveNode();
  account = privateKeyToAccount(await node.freshKey());
  const hash = await wallet().deployContract({ abi, bytecode: counter.bytecode });
  contract = (await reader().waitForTransactionReceipt({ hash })).contractAddress as Hex;
});
after(() => node.close());

test("blocks by number, hash and every tag; counts; transactions in place", async () => {
  const client = reader();
  const { blockNumber, blockHash, transactionHash } = await increase(1n);
  const block = await client.getBlock({ blockNumber, includeTransactions: true });
  assert.equal((await client.getBlock({ blockHash })).number, blockNumber);
  assert.equal(block.transactions[0]?.hash, transactionHash);
  for (const blockTag of ["latest", "earliest", "pending", "safe", "finalized"] as const) {
    assert.ok(await client.getBlock({ blockTag }), blockTag);
  }
  assert.equal(await client.getBlockTransactionCount({ blockNumber }), block.transactions.length);
  assert.equal((await client.getTransaction({ blockHash, index: 0 })).hash, transactionHash);
  assert.ok((await client.getTransactionConfirmations({ hash: transactionHash })) >= 1n);
  await assert.rejects(client.getBlock({ blockNumber: 10n ** 9n }), { name: "BlockNotFoundError" });
  await assert.rejects(client.getTransaction({ hash: keccak256("0x01") }), { name: "TransactionNotFoundError" });
  await assert.rejects(client.getTransactionReceipt({ hash: keccak256("0x01") }), {
    name: "TransactionReceiptNotFoundError",
  });
});

test("state: balance, nonce, code, storage, proof, at heights", async () => {
  const client = reader();
  const { blockNumber } = await increase(2n);
  const slot = toHex(0, { size: 32 });
  const now = await client.getStorageAt({ address: contract, slot, blockNumber });
  const before = await client.getStorageAt({ address: contract, slot, blockNumber: blockNumber - 1n });
  assert.equal(BigInt(now ?? "0x0") - BigInt(before ?? "0x0"), 2n);
  const proof = await client.getProof({ address: contract, storageKeys: [slot], blockNumber });
  assert.equal(proof.storageProof[0]?.value, BigInt(now ?? "0x0"));
  assert.equal(proof.codeHash, keccak256((await client.getCode({ address: contract })) ?? "0x"));
  assert.equal(await client.getBalance({ address: account.address, blockNumber: 0n }), 0n);
  const nonce = await client.getTransactionCount({ address: account.address });
  assert.equal(await client.getTransactionCount({ address: account.address, blockTag: "pending" }), nonce);
});

test("fees: history, gas price, tip, blob base fee, estimate with fees per gas", async () => {
  const client = reader();
  const history = await client.getFeeHistory({ blockCount: 3, rewardPercentiles: [10, 90] });
  assert.equal(history.baseFeePerGas.length, (history.reward?.length ?? 0) + 1);
  const { maxFeePerGas, maxPriorityFeePerGas } = await client.estimateFeesPerGas();
  assert.ok(maxFeePerGas >= maxPriorityFeePerGas && maxPriorityFeePerGas > 0n);
  assert.ok((await client.getGasPrice()) > 0n);
  assert.equal(await client.getBlobBaseFee(), 1n);
});

test("logs and filters: by event, by arguments, by block hash; changes once; gone after uninstalling", async () => {
  const client = reader();
  const filter = await client.createContractEventFilter({ abi, address: contract, eventName: "Increased" });
  const blocks = await client.createBlockFilter();
  const pending = await client.createPendingTransactionFilter();
  const receipt = await increase(3n);
  const [log, ...more] = await client.getFilterChanges({ filter });
  assert.equal(log?.transactionHash, receipt.transactionHash);
  assert.equal(more.length, 0);
  assert.deepEqual(await client.getFilterChanges({ filter }), []);
  assert.ok((await client.getFilterChanges({ filter: blocks })).includes(receipt.blockHash));
  assert.ok((await client.getFilterChanges({ filter: pending })).includes(receipt.transactionHash));
  const { blockHash } = receipt;
  const byHash = await client.getLogs({ address: contract, blockHash });
  assert.deepEqual(
    byHash.map(({ logIndex }) => logIndex),
    receipt.logs.map(({ logIndex }) => logIndex),
  );
  const args = { by: OTHER };
  const none = await client.getContractEvents({ abi, address: contract, eventName: "Increased", args, fromBlock: 0n });
  assert.deepEqual(none, []);
  assert.equal(await client.uninstallFilter({ filter }), true);
  await assert.rejects(client.getFilterChanges({ filter }), /filter not found/);
});

test("batches and multiplexed calls over HTTP and one socket keep their answers apart", async () => {
  const batching = createPublicClient({ chain: chain(), transport: http(undefined, { batch: { wait: 5 } }) });
  const socket = createPublicClient({ chain: chain(), transport: webSocket(node.wsUrl) });
  for (const client of [batching, socket]) {
    const numbers = await Promise.all([0n, 1n, 2n, 3n].map((blockNumber) => client.getBlock({ blockNumber })));
    assert.deepEqual(
      numbers.map(({ number }) => number),
      [0n, 1n, 2n, 3n],
    );
  }
  (await socket.transport.getRpcClient()).close();
});

test("over a socket: heads, events and pending transactions are watched and end", async () => {
  const socket = createPublicClient({ chain: chain(), transport: webSocket(node.wsUrl) });
  const heads: bigint[] = [];
  const events: Log[] = [];
  const hashes: Hex[] = [];
  const stops = [
    socket.watchBlocks({ onBlock: ({ number }) => heads.push(number) }),
    socket.watchContractEvent({ abi, address: contract, onLogs: (logs) => events.push(...logs) }),
    socket.watchPendingTransactions({ onTransactions: (found) => hashes.push(...found) }),
  ];
  await until("the first head", () => heads.length > 0);
  const { transactionHash } = await increase(4n);
  const isSeen = () =>
    events.some((log) => log.transactionHash === transactionHash) && hashes.includes(transactionHash);
  await until("event and hash", isSeen);
  for (const stop of stops) stop();
  (await socket.transport.getRpcClient()).close();
});
