import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Address, Hash, Hex } from "@cairn/primitives";
import { bytesToHex, hexToBytes, keccak256 } from "@cairn/primitives";
import { verifyMerkleProof } from "@ethereumjs/mpt";
import { RLP } from "@ethereumjs/rlp";
import { encodeFunctionData, getContractAddress, toEventSelector } from "viem";
import type { LogQuery } from "./boundary/log-query.ts";
import { compileProbe } from "./testing/probe.ts";
import { account, genesisText, openTestChain, send, type TestChain, transfer } from "./testing/test-chain.ts";

const probe = compileProbe();
const [alice, bob, carol] = [account(0), account(1), account(2)];
const first: Address = getContractAddress({ from: alice.address, nonce: 0n });
const second: Address = getContractAddress({ from: alice.address, nonce: 1n });
const SET = toEventSelector("Set(address,uint256,bytes)");
const setData = (value: bigint) => encodeFunctionData({ abi: probe.abi, functionName: "set", args: [value] });
const word = (value: bigint): Hash => `0x${value.toString(16).padStart(64, "0")}`;
const topicOf = (address: Address): Hash => `0x${address.slice(2).toLowerCase().padStart(64, "0")}`;

let chain: TestChain;
before(async () => {
  chain = await openTestChain();
  await chain.mine([
    await send({ from: alice, nonce: 0, data: probe.bytecode }),
    await send({ from: alice, nonce: 1, data: probe.bytecode }),
  ]);
  for (let block = 0; block < 5; block++) {
    await chain.mine([
      await send({ from: bob, nonce: block * 2, to: first, data: setData(BigInt(block)) }),
      await send({ from: bob, nonce: block * 2 + 1, to: second, data: setData(100n) }),
      await send({ from: carol, nonce: block, to: first, data: setData(200n) }),
    ]);
  }
});
after(() => chain.close());

interface LogText {
  address: Address;
  topics: Hash[];
  blockNumber: Hex;
  logIndex: Hex;
  transactionHash: Hash;
  blockTimestamp: Hex;
}

async function logs(query: Partial<LogQuery>): Promise<LogText[]> {
  const outcome = await chain.native.logsJson({
    fromBlock: 0n,
    toBlock: 6n,
    addresses: [],
    topics: [],
    maxResults: 100,
    ...query,
  });
  assert.ok(outcome.ok);
  return JSON.parse(outcome.json);
}

test("logs are found by address, topic and range, in chain order", async () => {
  const all = await logs({});
  assert.equal(all.length, 15);
  const places = all.map((log) => [Number(log.blockNumber), Number(log.logIndex)]);
  assert.deepEqual(
    places,
    [2, 3, 4, 5, 6].flatMap((block) => [0, 1, 2].map((index) => [block, index])),
  );
  assert.equal((await logs({ addresses: [first] })).length, 10);
  assert.equal((await logs({ addresses: [first, second] })).length, 15);
  assert.equal((await logs({ topics: [[SET]] })).length, 15);
  assert.equal((await logs({ topics: [[], [topicOf(carol.address)]] })).length, 5);
  assert.equal((await logs({ topics: [[SET], [], [word(3n), word(100n)]] })).length, 6);
  assert.equal((await logs({ fromBlock: 3n, toBlock: 4n, addresses: [second] })).length, 2);
  assert.deepEqual(await logs({ topics: [[], [], [], []] }), []);
  assert.deepEqual(await logs({ topics: [[word(1n)]] }), []);
  const [one] = await logs({ fromBlock: 4n, toBlock: 4n, addresses: [second] });
  assert.ok(one);
  const receipt = JSON.parse(chain.native.receiptJson(one.transactionHash) ?? "null");
  assert.deepEqual(receipt.logs, [one]);
  assert.equal(one.logIndex, "0x1");
  assert.equal(one.blockTimestamp, JSON.parse(chain.native.headerJson(4n) ?? "null").timestamp);
});

test("transactions are counted", () => {
  for (const [block, count] of [
    [0n, 0],
    [1n, 2],
    [2n, 3],
    [6n, 3],
  ] as const) {
    assert.equal(chain.native.transactionCount(block), count);
  }
  assert.equal(chain.native.transactionCount(chain.native.head().hash), 3);
});

test("too many logs is an outcome", async () => {
  const query = { fromBlock: 0n, toBlock: 6n, addresses: [], topics: [], maxResults: 14 };
  assert.deepEqual(await chain.native.logsJson(query), { ok: false, code: "too-many-results" });
});

test("account and storage proofs hold against the header's state root", async () => {
  const { native } = chain;
  for (const block of [2n, 6n]) {
    const root = hexToBytes(JSON.parse(native.headerJson(block) ?? "null").stateRoot);
    const keys = [new Uint8Array(32), new Uint8Array([9]), new Uint8Array(0)];
    const proof = JSON.parse((await native.proofJson(first, keys, block)) ?? "null");
    const nodes = proof.accountProof.map(hexToBytes);
    const row = await verifyMerkleProof(hexToBytes(first), nodes, { useKeyHashing: true, root });
    assert.ok(row);
    const fields = [BigInt(proof.nonce), BigInt(proof.balance), proof.storageHash, proof.codeHash];
    assert.equal(bytesToHex(row), bytesToHex(RLP.encode(fields)));
    assert.equal(proof.codeHash, bytesToHex(keccak256(native.code(first, block) ?? new Uint8Array())));
    assert.deepEqual(
      proof.storageProof.map((item: { key: Hex }) => item.key),
      [word(0n), "0x9", "0x0"],
    );
    const [set, absent] = proof.storageProof;
    const storageRoot = hexToBytes(proof.storageHash);
    const value = await verifyMerkleProof(new Uint8Array(32), set.proof.map(hexToBytes), {
      useKeyHashing: true,
      root: storageRoot,
    });
    assert.equal(bytesToHex(RLP.decode(value ?? new Uint8Array()) as Uint8Array), "0xc8");
    assert.equal(set.value, "0xc8");
    assert.equal(absent.value, "0x0");
    const nothing = await verifyMerkleProof(hexToBytes(word(9n)), absent.proof.map(hexToBytes), {
      useKeyHashing: true,
      root: storageRoot,
    });
    assert.equal(nothing, null);
  }
});

test("an absent account is proven absent with zero hashes", async () => {
  const absent = account(9).address;
  const proof = JSON.parse((await chain.native.proofJson(absent, [new Uint8Array(32)], 6n)) ?? "null");
  const root = hexToBytes(chain.native.head().stateRoot);
  assert.equal(
    await verifyMerkleProof(hexToBytes(absent), proof.accountProof.map(hexToBytes), { useKeyHashing: true, root }),
    null,
  );
  const zero = word(0n);
  assert.deepEqual([proof.balance, proof.nonce, proof.codeHash, proof.storageHash], ["0x0", "0x0", zero, zero]);
  assert.deepEqual(proof.storageProof, [{ key: zero, value: "0x0", proof: [] }]);
});

test("fee history has base fees, ratios and gas-weighted rewards", async () => {
  const { native } = chain;
  const { number } = (
    await chain.mine([
      await transfer({ from: alice, nonce: 2, to: bob.address, value: 1n, tip: 5n }),
      await transfer({ from: bob, nonce: 10, to: alice.address, value: 1n, tip: 1n }),
      await transfer({ from: carol, nonce: 5, to: bob.address, value: 1n, tip: 9n }),
    ])
  ).commit.head;
  const history = JSON.parse(await native.feeHistoryJson(3, number, [0, 34, 50, 67, 100]));
  assert.equal(history.oldestBlock, "0x5");
  assert.equal(history.baseFeePerGas.length, 4);
  for (const [index, block] of [5n, 6n, 7n].entries()) {
    const header = JSON.parse(native.headerJson(block) ?? "null");
    assert.equal(history.baseFeePerGas[index], header.baseFeePerGas);
    assert.equal(history.gasUsedRatio[index], Number(header.gasUsed) / Number(header.gasLimit));
  }
  assert.equal(BigInt(history.baseFeePerGas[3]), native.head().nextBaseFeePerGasWei);
  assert.deepEqual(history.reward[2], ["0x1", "0x5", "0x5", "0x9", "0x9"]);
  assert.deepEqual(history.blobGasUsedRatio, [0, 0, 0]);
  assert.deepEqual(history.baseFeePerBlobGas, ["0x1", "0x1", "0x1", "0x1"]);
  const all = JSON.parse(await native.feeHistoryJson(1024, 2n ** 64n, []));
  assert.equal(all.oldestBlock, "0x0");
  assert.equal(all.reward, undefined);
  assert.equal(all.gasUsedRatio.length, 8);
  assert.deepEqual(JSON.parse(await native.feeHistoryJson(0, number, [])), { oldestBlock: "0x0", gasUsedRatio: null });
  await chain.mine([]);
  const empty = JSON.parse(await native.feeHistoryJson(1, number + 1n, [50]));
  assert.deepEqual(empty.reward, [["0x0"]]);
});

test("the base fee follows EIP-1559 and never falls below the floor", async () => {
  const floored = await openTestChain({ genesis: genesisText({ minBaseFee: "0x3b023380" }) });
  try {
    const fees: bigint[] = [];
    for (let block = 0; block < 3; block++) fees.push((await floored.mine([])).commit.head.baseFeePerGasWei);
    assert.deepEqual(fees, [990_000_000n, 990_000_000n, 990_000_000n]);
  } finally {
    await floored.close();
  }
});
