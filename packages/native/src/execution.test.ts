import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Hex } from "@cairn/primitives";
import { bytesToHex, hexToBytes, keccak256 } from "@cairn/primitives";
import {
  decodeFunctionResult,
  encodeFunctionData,
  formatTransaction,
  getContractAddress,
  recoverTransactionAddress,
  serializeTransaction,
  type TransactionSerializable,
} from "viem";
import { checkBlock, type LogText } from "./testing/check-block.ts";
import { compileProbe } from "./testing/probe.ts";
import {
  account,
  BEACON_ROOTS,
  CHAIN_ID,
  CRN,
  consensusHash,
  HISTORY,
  MINER,
  openTestChain,
  send,
  type TestChain,
  transfer,
} from "./testing/test-chain.ts";

const probe = compileProbe();
const [alice, bob, carol, dave] = [account(0), account(1), account(2), account(3)];
const callData = (functionName: string, args: unknown[] = []) =>
  encodeFunctionData({ abi: probe.abi, functionName, args });

let chain: TestChain;
before(async () => {
  chain = await openTestChain();
});
after(() => chain.close());

const LEGACY_PRICE = 3_000_000_000n;
const accessList = [{ address: bob.address, storageKeys: [`0x${"00".repeat(32)}` as const] }];

/** A transfer of 1 wei from alice to bob in every type, and a legacy one for no chain. */
async function transfersOfAllTypes(): Promise<readonly Hex[]> {
  const to = bob.address;
  const old = { chainId: CHAIN_ID, to, value: 1n, gasPrice: LEGACY_PRICE };
  const fees = { maxFeePerGas: 10_000_000_000n, maxPriorityFeePerGas: 2_000_000_000n };
  const now = { chainId: CHAIN_ID, to, value: 1n, ...fees };
  const authorization = await carol.signAuthorization({ chainId: CHAIN_ID, address: HISTORY, nonce: 0 });
  return Promise.all([
    alice.signTransaction({ ...old, type: "legacy", nonce: 0, gas: 21_000n }),
    alice.signTransaction({ type: "legacy", nonce: 1, to, value: 1n, gas: 21_000n, gasPrice: LEGACY_PRICE }),
    alice.signTransaction({ ...old, type: "eip2930", nonce: 2, gas: 30_000n, accessList }),
    alice.signTransaction({ ...now, type: "eip1559", nonce: 3, gas: 21_000n }),
    alice.signTransaction({ ...now, type: "eip7702", nonce: 4, gas: 80_000n, authorizationList: [authorization] }),
  ]);
}

test("transfers of types 0, 1, 2 and 4 move value, burn the base fee and pay the miner", async () => {
  const to = bob.address;
  const before = chain.native.account(to, 0n)?.balanceWei ?? 0n;
  const { block, commit } = await chain.mine(await transfersOfAllTypes());
  assert.equal(block.hash, commit.head.hash);
  assert.deepEqual(
    block.txs.map((tx) => tx.included && tx.success && tx.type),
    [0, 0, 1, 2, 4],
  );
  assert.equal(chain.native.account(to, 1n)?.balanceWei, before + 5n);
  const used = block.txs.map((tx) => (tx.included ? tx.gasUsed : 0n));
  assert.deepEqual(used.slice(0, 4), [21_000n, 21_000n, 25_300n, 21_000n]);
  const base = commit.head.baseFeePerGasWei;
  const tips = [...Array<bigint>(3).fill(LEGACY_PRICE - base), 2_000_000_000n, 2_000_000_000n];
  const earned = used.reduce((sum, gas, index) => sum + gas * (tips[index] ?? 0n), 0n);
  assert.equal(chain.native.account(MINER, 1n)?.balanceWei, earned);
  const paid = used.reduce((sum, gas, index) => sum + gas * (base + (tips[index] ?? 0n)), 0n);
  assert.equal(chain.native.account(alice.address, 1n)?.balanceWei, 10_000n * CRN - paid - 5n);
  assert.equal(bytesToHex(chain.native.code(carol.address, 1n) ?? new Uint8Array()), `0xef0100${HISTORY.slice(2)}`);
  assert.equal(chain.native.account(carol.address, 1n)?.nonce, 1n);
  await checkBlock(chain.native, 1n);
});

test("transaction objects say what each type has", async () => {
  const full = JSON.parse((await chain.native.blockJson(1n, true)) ?? "null");
  assert.deepEqual(
    full.transactions.map((tx: { yParity?: Hex; v: Hex }) => tx.yParity === undefined),
    [true, true, false, false, false],
  );
  assert.equal(full.transactions[1].chainId, undefined);
  assert.equal(full.transactions[4].authorizationList[0].address, HISTORY);
  assert.deepEqual(
    full.transactions[2].accessList,
    accessList.map((item) => ({ ...item, address: item.address.toLowerCase() })),
  );
});

test("a contract is deployed, called, logs, reverts and halts", async () => {
  const native = chain.native;
  const at = getContractAddress({ from: bob.address, nonce: 0n });
  await chain.mine([await send({ from: bob, nonce: 0, data: probe.bytecode })]);
  const number = native.head().number + 1n;
  const txs = [
    await send({ from: bob, nonce: 1, to: at, data: callData("set", [42n]), value: 5n }),
    await send({ from: dave, nonce: 0, to: at, data: callData("fail") }),
    await send({ from: dave, nonce: 1, to: at, data: callData("invalid"), gas: 100_000n }),
    await send({ from: dave, nonce: 2, to: at, data: callData("set", [43n]) }),
    await send({ from: dave, nonce: 3, to: at, data: callData("fill", [0n, 5n]) }),
    await send({ from: dave, nonce: 4, to: at, data: callData("destroyFresh"), value: 9n }),
  ];
  const { block, commit } = await chain.mine(txs);
  assert.deepEqual(
    block.txs.map((tx) => tx.included && tx.success),
    [true, false, false, true, true, true],
  );
  assert.equal(native.storage(at, new Uint8Array(32), number)?.at(-1), 43);
  assert.equal(native.account(at, number)?.balanceWei, 5n);
  assert.equal(native.account(getContractAddress({ from: at, nonce: 1n }), number)?.nonce, 0n);
  const logs: (LogText & { logIndex: Hex; transactionIndex: Hex; blockHash: Hex; removed: boolean })[] = JSON.parse(
    commit.logsJson,
  );
  assert.deepEqual(
    logs.map((log) => [log.logIndex, log.transactionIndex]),
    [
      ["0x0", "0x0"],
      ["0x1", "0x3"],
    ],
  );
  assert.equal(logs[0]?.blockHash, commit.head.hash);
  assert.equal(logs[0]?.removed, false);
  const fourth = block.txs[3];
  assert.ok(fourth?.included);
  assert.deepEqual(JSON.parse(fourth.logsJson), [logs[1]]);
  assert.deepEqual(JSON.parse(native.receiptJson(fourth.hash) ?? "null").logs, [logs[1]]);
  await checkBlock(native, number);
});

test("a receipt, its block's receipts and the logs of the commit say the same", async () => {
  const native = chain.native;
  const number = native.head().number;
  const at = getContractAddress({ from: bob.address, nonce: 0n });
  const receipts = JSON.parse((await native.blockReceiptsJson(number)) ?? "null");
  const logs = receipts.flatMap((each: { logs: LogText[] }) => each.logs);
  const receipt = JSON.parse(native.receiptJson(receipts[3].transactionHash) ?? "null");
  assert.deepEqual(receipt.logs, [logs[1]]);
  assert.deepEqual(receipt, receipts[3]);
  assert.equal(receipt.contractAddress, null);
  assert.equal(receipt.to, at.toLowerCase());
  const created = native.transactionByIndexJson(number - 1n, 0);
  assert.equal(JSON.parse(created ?? "null").to, null);
  const hash = JSON.parse(created ?? "null").hash;
  assert.equal(JSON.parse(native.receiptJson(hash) ?? "null").contractAddress, at.toLowerCase());
  assert.equal(native.transactionJson(hash), created);
});

test("a delegated account runs the delegate's code", async () => {
  const native = chain.native;
  const at = getContractAddress({ from: bob.address, nonce: 0n });
  const authorization = await alice.signAuthorization({ chainId: CHAIN_ID, address: at, nonce: 6 });
  const tx = await alice.signTransaction({
    type: "eip7702",
    chainId: CHAIN_ID,
    nonce: 5,
    to: alice.address,
    data: callData("set", [77n]),
    gas: 300_000n,
    maxFeePerGas: 10_000_000_000n,
    maxPriorityFeePerGas: 1n,
    authorizationList: [authorization],
  });
  const { block, commit } = await chain.mine([tx]);
  assert.equal(block.txs[0]?.included && block.txs[0].success, true);
  assert.equal(native.storage(alice.address, new Uint8Array(32), commit.head.number)?.at(-1), 77);
  assert.equal(native.account(alice.address, commit.head.number)?.nonce, 7n);
  await checkBlock(native, commit.head.number);
  await chain.mine([await send({ from: dave, nonce: 5, to: alice.address, data: callData("set", [78n]) })]);
  assert.equal(native.storage(alice.address, new Uint8Array(32), native.head().number)?.at(-1), 78);
});

test("the block environment, BLOCKHASH and the system contracts see the parent", async () => {
  const native = chain.native;
  const at = getContractAddress({ from: bob.address, nonce: 0n });
  const { commit } = await chain.mine([]);
  const { number, timestamp } = commit.head;
  const parent = JSON.parse(native.headerJson(number - 1n) ?? "null");
  const gasPriceWei = 20_000_000_000n;
  const outcome = await native.call({
    from: bob.address,
    to: at,
    data: hexToBytes(callData("environment")),
    block: number,
    gasPriceWei,
    gas: 1_000_000n,
  });
  assert.ok(outcome.ok);
  const seen = decodeFunctionResult({ abi: probe.abi, functionName: "environment", data: bytesToHex(outcome.data) });
  const randao = keccak256(new Uint8Array([1, ...consensusHash(number - 1n)]));
  const { baseFeePerGasWei, gasLimit } = commit.head;
  assert.deepEqual(seen, [
    number,
    timestamp,
    "0x00000000000000000000000000000000000000AA",
    baseFeePerGasWei,
    BigInt(bytesToHex(randao)),
    parent.hash,
    gasLimit,
    BigInt(CHAIN_ID),
  ]);
  const word = (value: bigint) => hexToBytes(`0x${value.toString(16).padStart(64, "0")}`);
  const root = await native.call({ to: BEACON_ROOTS, data: word(timestamp), block: number });
  assert.equal(root.ok && bytesToHex(root.data), bytesToHex(consensusHash(number - 1n)));
  const history = await native.call({ to: HISTORY, data: word(number - 1n), block: number });
  assert.equal(history.ok && bytesToHex(history.data), parent.hash);
});

test("what cannot execute is skipped with its code and without effect", async () => {
  const native = chain.native;
  const height = native.head().number + 1n;
  const poor = account(9);
  const good = await transfer({ from: dave, nonce: 6, to: bob.address, value: 1n });
  const cases: [Hex, number][] = [
    ["0xdeadbeef", 2],
    [await transfer({ from: dave, nonce: 5, to: bob.address, value: 1n }), 3],
    [await transfer({ from: dave, nonce: 9, to: bob.address, value: 1n }), 3],
    [await transfer({ from: poor, nonce: 0, to: bob.address, value: 1n }), 4],
    [await send({ from: dave, nonce: 7, data: "0x", to: bob.address, gas: 99_990_000n }), 5],
    [
      await dave.signTransaction({
        type: "legacy",
        chainId: CHAIN_ID,
        nonce: 7,
        to: bob.address,
        gas: 21_000n,
        gasPrice: 1n,
      }),
      6,
    ],
  ];
  const txs = [good, ...cases.map(([tx]) => tx)];
  const request = { height, timestamp: native.head().timestamp, miner: MINER, txs: txs.map((tx) => hexToBytes(tx)) };
  assert.deepEqual(await native.propose(request), [0]);
  const mixed = await native.execute({ ...request, consensusHash: consensusHash(height) });
  assert.deepEqual(
    mixed.txs.map((tx) => (tx.included ? 0 : tx.code)),
    [0, ...cases.map(([, code]) => code)],
  );
  const alone = await native.execute({ ...request, txs: [hexToBytes(good)], consensusHash: consensusHash(height) });
  assert.equal(alone.hash, mixed.hash);
  await native.commit();
  await checkBlock(native, height);
});

test("transaction objects hold all that was signed", async () => {
  const block = JSON.parse((await chain.native.blockJson(1n, true)) ?? "null");
  for (const json of block.transactions) {
    const mined = formatTransaction(json);
    const { v, yParity, r, s } = mined;
    const type = mined.type === "legacy" ? ("legacy" as const) : mined.type;
    const fees = json.maxFeePerGas === undefined ? { gasPrice: mined.gasPrice } : {};
    const unsigned = {
      ...fees,
      type,
      chainId: mined.chainId,
      nonce: mined.nonce,
      to: mined.to,
      value: mined.value,
      gas: mined.gas,
      data: mined.input,
      maxFeePerGas: mined.maxFeePerGas,
      maxPriorityFeePerGas: mined.maxPriorityFeePerGas,
      accessList: mined.accessList,
      authorizationList: mined.authorizationList,
    };
    const signature = { r, s, v, ...(yParity === undefined ? {} : { yParity }) };
    const raw = serializeTransaction(unsigned as TransactionSerializable, signature);
    assert.equal(raw, bytesToHex(chain.native.rawTransaction(json.hash) ?? new Uint8Array()), json.type);
    assert.equal(
      await recoverTransactionAddress({ serializedTransaction: raw }).then((a) => a.toLowerCase()),
      json.from,
    );
  }
});
