/**
 * Blocks, transactions, receipts, logs and proofs recomputed with @ethereumjs from what JSON-RPC answers: hashes, roots
 * and blooms must come out the same. None of Cairn's own code computes here.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createBlockFromRPC, createBlockHeaderFromRPC } from "@ethereumjs/block";
import { createCustomCommon, Hardfork, Mainnet } from "@ethereumjs/common";
import { createMPT, verifyMPTWithMerkleProof } from "@ethereumjs/mpt";
import { RLP } from "@ethereumjs/rlp";
import { createPublicClient, createWalletClient, type Hex, hexToBytes, http, keccak256, toHex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { counter, type LiveNode, OTHER, startLiveNode, viemChain } from "./live-node.ts";

interface WireLog {
  readonly address: Hex;
  readonly topics: readonly Hex[];
  readonly data: Hex;
  readonly logIndex: Hex;
  readonly transactionIndex: Hex;
  readonly blockHash: Hex;
}
interface WireReceipt {
  readonly type: Hex;
  readonly status: Hex;
  readonly cumulativeGasUsed: Hex;
  readonly gasUsed: Hex;
  readonly logsBloom: Hex;
  readonly logs: readonly WireLog[];
  readonly transactionHash: Hex;
}
type WireBlock = Parameters<typeof createBlockFromRPC>[0] & {
  readonly receiptsRoot: Hex;
  readonly logsBloom: Hex;
  readonly stateRoot: Hex;
  readonly gasUsed: Hex;
  readonly transactions: readonly { readonly hash: Hex }[];
};

let node: LiveNode;
let contract: Hex;
let from: Hex;
before(async () => {
  node = await startLiveNode();
  const account = privateKeyToAccount(await node.freshKey());
  from = account.address;
  const chain = viemChain(node.sandbox);
  const wallet = createWalletClient({ chain, transport: http(), account });
  const reader = createPublicClient({ chain, transport: http(), pollingInterval: 100 });
  const deployment = await wallet.deployContract({ abi: counter.abi, bytecode: counter.bytecode });
  contract = (await reader.waitForTransactionReceipt({ hash: deployment })).contractAddress as Hex;
  const nonce = await reader.getTransactionCount({ address: from });
  const fees = { maxFeePerGas: 9_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n };
  const increase = `0x30f3f0db${"7".padStart(64, "0")}` as Hex;
  const sends = [
    wallet.sendTransaction({ to: OTHER, value: 1n, nonce, gasPrice: 9_000_000_000n, type: "legacy" }),
    wallet.sendTransaction({ to: contract, data: increase, gas: 200_000n, nonce: nonce + 1, ...fees }),
    // No such function: it fails on the chain and has a receipt with status 0.
    wallet.sendTransaction({ to: contract, data: "0xdeadbeef", gas: 100_000n, nonce: nonce + 2, ...fees }),
    wallet.sendTransaction({
      ...{ to: contract, data: increase, gas: 200_000n, nonce: nonce + 3, gasPrice: 9_000_000_000n, type: "eip2930" },
      accessList: [{ address: contract, storageKeys: [`0x${"00".repeat(32)}`] }],
    }),
  ];
  const receipts = await Promise.all(
    (await Promise.all(sends)).map((hash) => reader.waitForTransactionReceipt({ hash })),
  );
  assert.deepEqual(
    receipts.map(({ status }) => status),
    ["success", "success", "reverted", "success"],
  );
});
after(() => node.close());

async function answer<T>(method: string, ...params: readonly unknown[]): Promise<T> {
  const { result, error } = await node.call(method, params);
  assert.equal(error, undefined, `${method}: ${error?.message}`);
  return result as T;
}

/** Every block up to the head, with full transactions and receipts. */
async function* blocks(): AsyncGenerator<{ block: WireBlock; receipts: readonly WireReceipt[] }> {
  const head = Number(await answer<Hex>("eth_blockNumber"));
  for (let number = 0; number <= head; number += 1) {
    const block = await answer<WireBlock>("eth_getBlockByNumber", toHex(number), true);
    yield { block, receipts: await answer("eth_getBlockReceipts", toHex(number)) };
  }
}

const common = () =>
  createCustomCommon({ chainId: node.chainId, consensus: { type: "pos", algorithm: "casper" } }, Mainnet, {
    hardfork: Hardfork.Prague,
  });

async function orderedRoot(items: readonly Uint8Array[]): Promise<Hex> {
  const trie = await createMPT();
  for (const [index, item] of items.entries()) await trie.put(RLP.encode(index), item);
  return toHex(trie.root());
}

const minimal = (quantity: Hex): Hex => (BigInt(quantity) === 0n ? "0x" : toHex(BigInt(quantity)));

function consensusReceipt(receipt: WireReceipt): Uint8Array {
  const logs = receipt.logs.map(({ address, topics, data }) => [address, [...topics], data]);
  const body = RLP.encode([minimal(receipt.status), minimal(receipt.cumulativeGasUsed), receipt.logsBloom, logs]);
  const type = Number(receipt.type);
  return type === 0 ? body : Uint8Array.from([type, ...body]);
}

/** A number as RLP has it: zero is no bytes. */
const numberOf = (bytes: Uint8Array | undefined): bigint => BigInt(`0x0${toHex(bytes ?? new Uint8Array()).slice(2)}`);

function bloomOf(logs: readonly WireLog[]): Hex {
  const bloom = new Uint8Array(256);
  for (const { address, topics } of logs) {
    for (const item of [address, ...topics]) {
      const hash = hexToBytes(keccak256(item));
      for (const at of [0, 2, 4]) {
        const bit = (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) & 2047;
        const byte = 255 - (bit >> 3);
        bloom[byte] = (bloom[byte] ?? 0) | (1 << (bit & 7));
      }
    }
  }
  return toHex(bloom);
}

test("headers: the hash is that of the fields", async () => {
  for await (const { block } of blocks()) {
    const header = createBlockHeaderFromRPC(block, { common: common(), setHardfork: false });
    assert.equal(toHex(header.hash()), block.hash, `block ${block.number}`);
  }
});

test("transactions: hashes, senders and root from the fields", async () => {
  let seen = 0;
  for await (const { block } of blocks()) {
    const built = createBlockFromRPC(block, [], { common: common(), setHardfork: false });
    assert.ok(await built.transactionsTrieIsValid(), `block ${block.number}`);
    for (const [index, transaction] of built.transactions.entries()) {
      assert.equal(toHex(transaction.hash()), block.transactions[index]?.hash);
      assert.ok(transaction.verifySignature());
      seen += 1;
    }
  }
  assert.ok(seen >= 6);
});

test("receipts: root, blooms, gas and positions of logs", async () => {
  for await (const { block, receipts } of blocks()) {
    assert.equal(await orderedRoot(receipts.map(consensusReceipt)), block.receiptsRoot, `block ${block.number}`);
    const logs = receipts.flatMap((receipt) => receipt.logs);
    assert.equal(bloomOf(logs), block.logsBloom);
    for (const receipt of receipts) assert.equal(bloomOf(receipt.logs), receipt.logsBloom);
    assert.deepEqual(
      logs.map(({ logIndex }) => Number(logIndex)),
      logs.map((_, index) => index),
    );
    const used = receipts.reduce((sum, { gasUsed }) => sum + BigInt(gasUsed), 0n);
    assert.equal(used, BigInt(block.gasUsed));
    for (const receipt of receipts) {
      assert.deepEqual(await answer("eth_getTransactionReceipt", receipt.transactionHash), receipt);
    }
  }
});

test("eth_getLogs finds exactly the logs of the receipts", async () => {
  const expected: WireLog[] = [];
  let last = "0x0";
  for await (const { block, receipts } of blocks()) {
    expected.push(...receipts.flatMap(({ logs }) => logs).filter(({ address }) => address === contract));
    last = String(block.number);
  }
  const found = await answer<WireLog[]>("eth_getLogs", { fromBlock: "0x0", toBlock: last, address: contract });
  assert.deepEqual(found, expected);
  assert.equal(found.length, 2);
});

test("proofs: account and storage hold under the state root, at an old height too", async () => {
  const head = Number(await answer<Hex>("eth_blockNumber"));
  const slot = `0x${"00".repeat(32)}`;
  for (const number of [head, Math.floor(head / 2), 0]) {
    const block = await answer<WireBlock>("eth_getBlockByNumber", toHex(number), false);
    const proof = await answer<{
      readonly balance: Hex;
      readonly storageHash: Hex;
      readonly accountProof: readonly Hex[];
      readonly storageProof: readonly { readonly value: Hex; readonly proof: readonly Hex[] }[];
    }>("eth_getProof", contract, [slot], toHex(number));
    const verify = async (root: Hex, key: Hex, nodes: readonly Hex[]) =>
      verifyMPTWithMerkleProof(
        await createMPT(),
        hexToBytes(root),
        hexToBytes(keccak256(key)),
        nodes.map((item) => hexToBytes(item)),
      );
    const account = await verify(block.stateRoot, contract, proof.accountProof);
    const exists = (await answer<Hex>("eth_getCode", contract, toHex(number))) !== "0x";
    assert.equal(account !== null, exists, `block ${number}`);
    if (account === null) continue;
    const [, balance, storageRoot] = RLP.decode(account) as Uint8Array[];
    assert.equal(numberOf(balance), BigInt(proof.balance));
    assert.equal(toHex(storageRoot ?? new Uint8Array()), proof.storageHash);
    const [entry] = proof.storageProof;
    if (entry === undefined || entry.proof.length === 0) continue;
    const word = await verify(proof.storageHash, slot as Hex, entry.proof);
    assert.equal(word === null ? 0n : numberOf(RLP.decode(word) as Uint8Array), BigInt(entry.value));
  }
});
