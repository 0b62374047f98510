/**
 * What Hardhat, Foundry scripts and wallets ask before and while they work, through ethers and plain calls: probes of
 * foreign namespaces, fee data, parallel sends with managed nonces, decoded reverts, past state, typed errors.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Contract, ContractFactory, isError, JsonRpcProvider, NonceManager, Wallet } from "ethers";
import { counter, type LiveNode, OTHER, startLiveNode } from "./live-node.ts";

let node: LiveNode;
let provider: JsonRpcProvider;
let wallet: NonceManager;
let contract: Contract;
before(async () => {
  node = await startLiveNode();
  provider = new JsonRpcProvider(node.httpUrl, node.chainId, { staticNetwork: true, polling: true });
  provider.pollingInterval = 100;
  wallet = new NonceManager(new Wallet(await node.freshKey(), provider));
  const factory = new ContractFactory(counter.abi as never, counter.bytecode, wallet);
  contract = (await (await factory.deploy()).waitForDeployment()) as Contract;
});
after(async () => {
  provider.destroy();
  await node.close();
});

test("probes of development nodes' namespaces answer -32601 and change nothing", async () => {
  for (const method of ["hardhat_metadata", "anvil_nodeInfo", "evm_snapshot", "evm_mine", "hardhat_reset"]) {
    const { error, result } = await node.call(method);
    assert.equal(result, undefined);
    assert.equal(error?.code, -32601, method);
    assert.equal(error?.message, `the method ${method} does not exist/is not available`);
  }
});

test("fee data of a London chain; a transaction made from it is mined at its effective price", async () => {
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas } = await provider.getFeeData();
  assert.ok(gasPrice && maxFeePerGas && maxPriorityFeePerGas && maxFeePerGas >= maxPriorityFeePerGas);
  const sent = await wallet.sendTransaction({ to: OTHER, value: 1n, maxFeePerGas, maxPriorityFeePerGas });
  const receipt = await sent.wait();
  const block = await provider.getBlock(receipt?.blockNumber ?? 0);
  const tip = (receipt?.gasPrice ?? 0n) - (block?.baseFeePerGas ?? 0n);
  assert.ok(tip > 0n && tip <= maxPriorityFeePerGas, `tip ${tip}`);
});

test("fifty transactions sent at once are all mined, in nonce order", async () => {
  const sends = await Promise.all(
    Array.from({ length: 50 }, (_, i) =>
      wallet.sendTransaction({ to: OTHER, value: BigInt(i + 1), gasLimit: 21_000n }),
    ),
  );
  const receipts = await Promise.all(sends.map((sent) => sent.wait()));
  const order = sends.map(({ nonce }, i) => ({
    nonce,
    block: receipts[i]?.blockNumber ?? 0,
    at: receipts[i]?.index ?? 0,
  }));
  order.sort((a, b) => a.nonce - b.nonce);
  for (const [i, { block, at }] of order.entries()) {
    const next = order[i + 1];
    if (next !== undefined) assert.ok(block < next.block || (block === next.block && at < next.at));
  }
});

test("reverts are decoded in calls, estimates and sends; a forced failure has a receipt with status 0", async () => {
  const increase = contract.getFunction("increase");
  for (const attempt of [() => increase.staticCall(0n), () => increase.estimateGas(0n), () => increase.send(0n)]) {
    await assert.rejects(attempt, (error) => isError(error, "CALL_EXCEPTION") && error.reason === "nothing to add");
  }
  wallet.reset();
  const forced = await increase.send(0n, { gasLimit: 100_000n });
  await assert.rejects(forced.wait(), (error) => isError(error, "CALL_EXCEPTION") && error.receipt?.status === 0);
});

test("events by filter and by receipt, past state by block tag", async () => {
  const sent = await contract.getFunction("increase").send(4n);
  const receipt = await sent.wait();
  const events = await contract.queryFilter("Increased", receipt?.blockNumber, receipt?.blockNumber);
  assert.equal(events.length, 1);
  assert.equal(events[0]?.transactionHash, receipt?.hash);
  const value = contract.getFunction("value");
  const [now, before] = await Promise.all([
    value.staticCall({ blockTag: receipt?.blockNumber }),
    value.staticCall({ blockTag: (receipt?.blockNumber ?? 1) - 1 }),
  ]);
  assert.equal(now - before, 4n);
});

test("ethers names the faults of sending: nonce, funds, replacement", async () => {
  const poor = Wallet.createRandom(provider);
  const fee = { gasLimit: 21_000n, gasPrice: 3_000_000_000n };
  await assert.rejects(poor.sendTransaction({ to: OTHER, value: 1n, ...fee }), (error) =>
    isError(error, "INSUFFICIENT_FUNDS"),
  );
  await assert.rejects(wallet.signer.sendTransaction({ to: OTHER, nonce: 0, ...fee }), (error) =>
    isError(error, "NONCE_EXPIRED"),
  );
  const nonce = (await wallet.getNonce("pending")) + 1;
  await wallet.signer.sendTransaction({ to: OTHER, nonce, ...fee });
  await assert.rejects(wallet.signer.sendTransaction({ to: OTHER, nonce, value: 1n, ...fee }), (error) =>
    isError(error, "REPLACEMENT_UNDERPRICED"),
  );
});
