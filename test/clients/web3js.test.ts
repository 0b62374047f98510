/** Unmodified web3.js 4 against the node, over HTTP and WebSocket. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Web3, WebSocketProvider } from "web3";
import { until } from "../e2e/until.ts";
import { counter, type LiveNode, OTHER, startLiveNode } from "./live-node.ts";

let node: LiveNode;
let web3: Web3;
let from: string;
before(async () => {
  node = await startLiveNode();
  web3 = new Web3(node.httpUrl);
  web3.eth.transactionPollingInterval = 100;
  [from] = web3.eth.accounts.wallet.add(await node.freshKey()).map((account) => account.address) as [string];
});
after(() => node.close());

async function deployed() {
  const contract = new web3.eth.Contract(counter.abi as never);
  return contract.deploy({ data: counter.bytecode }).send({ from });
}

test("node and network", async () => {
  assert.equal(await web3.eth.getChainId(), BigInt(node.chainId));
  assert.equal(await web3.eth.net.getId(), BigInt(node.chainId));
  assert.match(await web3.eth.getNodeInfo(), /^cairn\//i);
  assert.equal(await web3.eth.isSyncing(), false);
  assert.equal(await web3.eth.net.isListening(), true);
  assert.equal(await web3.eth.net.getPeerCount(), 0n);
  assert.deepEqual(await web3.eth.getAccounts(), []);
});

test("transfers of every classic type, with fees web3.js works out", async () => {
  const nonce = await web3.eth.getTransactionCount(from);
  const plain = await web3.eth.sendTransaction({ from, to: OTHER, value: 1n });
  assert.equal(plain.status, 1n);
  assert.equal(plain.type, 2n);
  const gasPrice = await web3.eth.getGasPrice();
  const legacy = await web3.eth.sendTransaction({ from, to: OTHER, value: 1n, gasPrice, type: 0 });
  assert.equal(legacy.type, 0n);
  const accessList = [{ address: OTHER, storageKeys: [] }];
  const listed = await web3.eth.sendTransaction({
    from,
    to: OTHER,
    value: 1n,
    gasPrice,
    gas: 30_000n,
    type: 1,
    accessList,
  });
  assert.equal(listed.type, 1n);
  assert.equal(await web3.eth.getTransactionCount(from), nonce + 3n);
  const transaction = await web3.eth.getTransaction(listed.transactionHash);
  assert.equal(transaction.blockHash, listed.blockHash);
  const placed = await web3.eth.getTransactionFromBlock(listed.blockNumber, listed.transactionIndex);
  assert.equal(placed?.hash, listed.transactionHash);
});

test("contract: deploy, send, call, history, events, revert reason, estimate", async () => {
  const contract = await deployed();
  const receipt = await contract.methods.increase?.(5).send({ from });
  assert.equal(receipt?.events?.Increased?.returnValues.value, 5n);
  assert.equal(await contract.methods.value?.().call(), 5n);
  assert.equal(await contract.methods.value?.().call({}, (receipt?.blockNumber ?? 0n) - 1n), 0n);
  const past = await contract.getPastEvents("Increased" as never, { fromBlock: 0n });
  assert.equal(past.length, 1);
  await assert.rejects(Promise.resolve(contract.methods.increase?.(0).call({ from })), (error: Error) => {
    return /nothing to add/.test(JSON.stringify(error, (_, value) => (typeof value === "bigint" ? `${value}` : value)));
  });
  const gas = await contract.methods.increase?.(1).estimateGas({ from });
  const again = await contract.methods.increase?.(1).send({ from, gas: String(gas) });
  assert.equal(again?.status, 1n);
});

test("blocks, proofs, storage, code, fee history", async () => {
  const contract = await deployed();
  const address = contract.options.address ?? "";
  for (const tag of ["latest", "earliest", "pending", "safe", "finalized"]) {
    const block = await web3.eth.getBlock(tag, true);
    assert.equal(typeof block.number, "bigint", tag);
  }
  const head = await web3.eth.getBlock("latest");
  assert.equal((await web3.eth.getBlock(head.hash)).number, head.number);
  assert.equal(await web3.eth.getBlockTransactionCount(head.number), BigInt(head.transactions?.length ?? 0));
  assert.equal(await web3.eth.getBlockUncleCount(head.number), 0n);
  assert.ok((await web3.eth.getCode(address)).length > 2);
  assert.equal(BigInt(await web3.eth.getStorageAt(address, 0n)), 0n);
  const proof = await web3.eth.getProof(address as never, [`0x${"00".repeat(32)}` as never], head.number);
  assert.ok(proof.accountProof.length > 0);
  const history = await web3.eth.getFeeHistory(2, "latest", [50]);
  assert.equal(history.baseFeePerGas.length, history.gasUsedRatio.length + 1);
  assert.equal(
    await web3.eth.getTransactionReceipt(`0x${"01".repeat(32)}`).catch((error) => error.name),
    "TransactionNotFound",
  );
});

test("a batch keeps its order", async () => {
  const batch = new web3.BatchRequest();
  const number = batch.add({ method: "eth_blockNumber", params: [] });
  const chain = batch.add({ method: "eth_chainId", params: [] });
  await batch.execute();
  assert.equal(BigInt(String(await chain)), BigInt(node.chainId));
  assert.ok(BigInt(String(await number)) > 0n);
});

test("WebSocket: heads, logs and pending transactions arrive and end", async () => {
  const contract = await deployed();
  const socket = new Web3(new WebSocketProvider(node.wsUrl));
  const heads: bigint[] = [];
  const logs: string[] = [];
  const pending: string[] = [];
  const headSubscription = await socket.eth.subscribe("newBlockHeaders");
  headSubscription.on("data", (head) => void heads.push(BigInt(head.number ?? 0)));
  const logSubscription = await socket.eth.subscribe("logs", { address: contract.options.address ?? "" });
  logSubscription.on("data", (log) => void logs.push(String(log.transactionHash)));
  const pendingSubscription = await socket.eth.subscribe("pendingTransactions");
  pendingSubscription.on("data", (hash) => void pending.push(String(hash)));
  const receipt = await contract.methods.increase?.(2).send({ from });
  const hash = String(receipt?.transactionHash);
  await until("head, log and hash", () => heads.length > 1 && logs.includes(hash) && pending.includes(hash));
  await headSubscription.unsubscribe();
  await socket.eth.clearSubscriptions();
  socket.provider?.disconnect();
});
