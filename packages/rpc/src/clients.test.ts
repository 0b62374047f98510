import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { decodeHeader, hexToBytes, keccak256, listTrieRoot, rlpEncode, verifyTrieProof } from "@cairn/primitives";
import { Contract, ContractFactory, JsonRpcProvider, Wallet } from "ethers";
import {
  type Abi,
  type Address,
  createPublicClient,
  createWalletClient,
  defineChain,
  fromRlp,
  getContract,
  http,
  pad,
  toHex,
  keccak256 as viemKeccak,
} from "viem";
import { mnemonicToAccount } from "viem/accounts";
import type { Compiled } from "./testing/compile.ts";
import { compileCounter } from "./testing/counter-contract.ts";
import { type LiveNode, startLiveNode } from "./testing/live-node.ts";

const MNEMONIC = "test test test test test test test test test test test junk";
const alice = mnemonicToAccount(MNEMONIC, { addressIndex: 0 });
const bob = mnemonicToAccount(MNEMONIC, { addressIndex: 1 });
const carol = mnemonicToAccount(MNEMONIC, { addressIndex: 2 });
const nobody: Address = `0x${"ee".repeat(20)}`;

let node: LiveNode;
let counter: Compiled;
before(async () => {
  counter = compileCounter();
  node = await startLiveNode();
});
after(async () => {
  assert.deepEqual(node.faults, []);
  await node.close();
});

function clients(account = alice) {
  const chain = defineChain({
    id: 358_587,
    name: "Cairn",
    nativeCurrency: { name: "Cairn", symbol: "CRN", decimals: 18 },
    rpcUrls: { default: { http: [node.url] } },
  });
  const transport = http(node.url);
  const pollingInterval = 20;
  return {
    reader: createPublicClient({ chain, transport, pollingInterval }),
    wallet: createWalletClient({ chain, transport, account }),
  };
}

test("viem sends types 0, 1, 2 and 4", async () => {
  const { reader, wallet } = clients();
  const to = nobody;
  const gasPrice = await reader.getGasPrice();
  const accessList = [{ address: to, storageKeys: [pad("0x1")] }];
  const authorization = await wallet.signAuthorization({ contractAddress: to, executor: "self" });
  const requests = [
    () => wallet.sendTransaction({ to, value: 1n, type: "legacy", gasPrice }),
    () => wallet.sendTransaction({ to, value: 1n, type: "eip2930", gasPrice, accessList }),
    () => wallet.sendTransaction({ to, value: 1n }),
  ];
  for (const [type, send] of requests.entries()) {
    const receipt = await reader.waitForTransactionReceipt({ hash: await send() });
    assert.equal(receipt.status, "success");
    const transaction = await reader.getTransaction({ hash: receipt.transactionHash });
    assert.equal(transaction.typeHex, toHex(type));
    assert.equal(transaction.from, alice.address.toLowerCase());
  }
  assert.equal(await reader.getBalance({ address: to }), 3n);
  const nonce = await reader.getTransactionCount({ address: alice.address });
  const delegation = await wallet.signAuthorization({ ...authorization, nonce: nonce + 1 });
  const hash = await wallet.sendTransaction({ to: alice.address, authorizationList: [delegation] });
  const receipt = await reader.waitForTransactionReceipt({ hash });
  assert.equal(receipt.status, "success");
  assert.equal(receipt.type, "eip7702");
  assert.equal(await reader.getCode({ address: alice.address }), `0xef0100${to.slice(2)}`);
});

test("viem deploys, calls, reads logs and decodes each way to fail", async () => {
  const { reader, wallet } = clients(bob);
  const deployment = await wallet.deployContract({ abi: counter.abi, bytecode: counter.bytecode });
  const { contractAddress } = await reader.waitForTransactionReceipt({ hash: deployment });
  assert.ok(contractAddress);
  const contract = getContract({
    address: contractAddress,
    abi: counter.abi as Abi,
    client: { public: reader, wallet },
  });
  const hash = await wallet.writeContract({
    address: contractAddress,
    abi: counter.abi,
    functionName: "increase",
    args: [40n],
  });
  const receipt = await reader.waitForTransactionReceipt({ hash });
  assert.equal(receipt.logs.length, 1);
  assert.equal(await contract.read.total?.([]), 40n);
  const [log] = await reader.getLogs({ address: contractAddress, fromBlock: 0n, toBlock: "latest" });
  assert.equal(log?.transactionHash, hash);
  assert.equal(log?.blockHash, receipt.blockHash);
  const simulate = (functionName: string, ...args: bigint[]) =>
    reader.simulateContract({ address: contractAddress, abi: counter.abi, functionName, args });
  await assert.rejects(simulate("increase", 100n), /too much/);
  await assert.rejects(simulate("increase", 7n), /Odd\(uint256 amount\)/);
  await assert.rejects(simulate("divide", 0n), /division or modulo by zero|Division or modulo by zero/i);
});

test("ethers deploys, sends, waits and filters logs", async () => {
  const provider = new JsonRpcProvider(node.url, undefined, { polling: true, pollingInterval: 20, cacheTimeout: -1 });
  try {
    const wallet = Wallet.fromPhrase(MNEMONIC, provider).connect(provider);
    const key = carol.getHdKey().privateKey;
    assert.ok(key && wallet.address);
    const signer = new Wallet(toHex(key), provider);
    const factory = new ContractFactory(JSON.stringify(counter.abi), counter.bytecode, signer);
    const deployed = await (await factory.deploy()).waitForDeployment();
    const contract = new Contract(await deployed.getAddress(), JSON.stringify(counter.abi), signer);
    const sent = await contract.getFunction("increase").send(2n);
    const receipt = await sent.wait();
    assert.equal(receipt?.status, 1);
    assert.equal(await contract.getFunction("total").staticCall(), 2n);
    const events = await contract.queryFilter("Increased", 0, "latest");
    assert.equal(events.length, 1);
    const block = await provider.getBlock("latest", true);
    assert.equal(block?.hash, receipt?.blockHash);
    assert.equal(block?.prefetchedTransactions.length, 1);
    await assert.rejects(contract.getFunction("increase").staticCall(100n), /too much/);
    for (const type of [0, 1, 2]) {
      const transfer = await signer.sendTransaction({ to: nobody, value: 1n, type });
      assert.equal((await transfer.wait())?.status, 1);
    }
  } finally {
    provider.destroy();
  }
});

test("block hashes, roots and proofs hold by independent code", async () => {
  const { reader } = clients();
  const block = await reader.getBlock({ blockTag: "latest", includeTransactions: true });
  const { result: header } = await node.rpc("debug_getRawHeader", "latest");
  assert.equal(viemKeccak(header as `0x${string}`), block.hash);
  const decoded = decodeHeader(hexToBytes(header as string));
  assert.equal(decoded.stateRoot, block.stateRoot);
  assert.equal(decoded.number, block.number);
  const raws = await Promise.all(
    block.transactions.map(async ({ hash }) => (await node.rpc("debug_getRawTransaction", hash)).result as string),
  );
  assert.equal(toHex(listTrieRoot(raws.map(hexToBytes))), block.transactionsRoot);
  const { result: receipts } = await node.rpc("debug_getRawReceipts", "latest");
  assert.equal(toHex(listTrieRoot((receipts as string[]).map(hexToBytes))), block.receiptsRoot);
  const { result: rawBlock } = await node.rpc("debug_getRawBlock", "latest");
  const fields = fromRlp(rawBlock as `0x${string}`);
  assert.deepEqual(fields[0], fromRlp(header as `0x${string}`));
  const proof = await reader.getProof({ address: bob.address, storageKeys: ["0x0"] });
  const key = keccak256(hexToBytes(bob.address));
  const outcome = verifyTrieProof(hexToBytes(block.stateRoot), key, proof.accountProof.map(hexToBytes));
  const account = [toHex(proof.nonce), toHex(proof.balance)].map((text) => {
    const digits = text.slice(2);
    return hexToBytes(`0x${digits.length % 2 === 0 ? digits : `0${digits}`}`);
  });
  const expected = rlpEncode([...account, hexToBytes(proof.storageHash), hexToBytes(proof.codeHash)]);
  assert.deepEqual(outcome, { ok: true, value: expected });
});
