/** Unmodified viem, ethers v6 and foundry's cast against the node, over HTTP and WebSocket. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { createMPT, verifyMPTWithMerkleProof } from "@ethereumjs/mpt";
import { RLP } from "@ethereumjs/rlp";
import { type Contract, ContractFactory, JsonRpcProvider, NonceManager, Wallet, WebSocketProvider } from "ethers";
import {
  type Abi,
  createPublicClient,
  createWalletClient,
  defineChain,
  type Hex,
  hexToBytes,
  http,
  keccak256,
  parseEther,
  webSocket,
} from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { ROOT } from "../../tools/stages.ts";
import { COUNTER_SOURCE, compile } from "../solidity.ts";
import { type SandboxProcess, startSandbox } from "./cairn-process.ts";
import { until } from "./until.ts";

const counter = compile(COUNTER_SOURCE);
const abi = counter.abi as unknown as Abi;
const OTHER: Hex = "0x000000000000000000000000000000000000dEaD";

let sandbox: SandboxProcess;
before(async () => {
  sandbox = await startSandbox({ args: ["--consensus.block-interval", "200ms"] });
});
after(async () => {
  assert.equal(await sandbox.stop(), 0);
});

function viemClients() {
  const { ready } = sandbox;
  const chain = defineChain({
    id: ready.evm_chain_id,
    name: "cairn",
    nativeCurrency: { name: "Cairn", symbol: "CRN", decimals: 18 },
    rpcUrls: { default: { http: [ready.json_rpc_url], webSocket: [ready.json_rpc_ws_url] } },
  });
  const reader = createPublicClient({ chain, transport: http(), pollingInterval: 100 });
  const fund = createWalletClient({ chain, transport: http(), account: privateKeyToAccount(ready.funded_private_key) });
  return { chain, reader, fund };
}

/** A fresh account with a hundred coins, so that the tests do not share nonces. */
async function freshKey(): Promise<Hex> {
  const { reader, fund } = viemClients();
  const key = generatePrivateKey();
  const hash = await fund.sendTransaction({ to: privateKeyToAccount(key).address, value: parseEther("100") });
  await reader.waitForTransactionReceipt({ hash });
  return key;
}

test("viem: legacy, access-list, fee-market and set-code transactions are included and read back", async () => {
  const { chain, reader } = viemClients();
  const account = privateKeyToAccount(await freshKey());
  const wallet = createWalletClient({ chain, transport: http(), account });
  const fees = { maxFeePerGas: 3_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n };
  const authorization = await wallet.signAuthorization({ contractAddress: OTHER, executor: "self" });
  const requests = [
    { type: "legacy", to: OTHER, value: 1n, gasPrice: 3_000_000_000n },
    {
      type: "eip2930",
      to: OTHER,
      value: 2n,
      gasPrice: 3_000_000_000n,
      accessList: [{ address: OTHER, storageKeys: [] }],
    },
    { type: "eip1559", to: OTHER, value: 3n, ...fees },
    { type: "eip7702", to: account.address, authorizationList: [{ ...authorization, nonce: 4 }], ...fees },
  ] as const;
  for (const request of requests) {
    const signed =
      request.type === "eip7702"
        ? {
            ...request,
            authorizationList: [await wallet.signAuthorization({ contractAddress: OTHER, executor: "self" })],
          }
        : request;
    const hash = await wallet.sendTransaction(signed as never);
    const receipt = await reader.waitForTransactionReceipt({ hash });
    assert.equal(receipt.status, "success", request.type);
    assert.equal(receipt.type, request.type);
    const transaction = await reader.getTransaction({ hash });
    assert.equal(transaction.type, request.type);
    assert.equal(transaction.blockHash, receipt.blockHash);
  }
  assert.equal(await reader.getCode({ address: account.address }), `0xef0100${OTHER.slice(2).toLowerCase()}`);
});

test("viem: deploy, call, log, revert reason, gas estimate", async () => {
  const { chain, reader } = viemClients();
  const account = privateKeyToAccount(await freshKey());
  const wallet = createWalletClient({ chain, transport: http(), account });
  const deployment = await reader.waitForTransactionReceipt({
    hash: await wallet.deployContract({ abi, bytecode: counter.bytecode }),
  });
  const address = deployment.contractAddress;
  assert.ok(address);
  const write = { address, abi, functionName: "increase" } as const;
  const receipt = await reader.waitForTransactionReceipt({
    hash: await wallet.writeContract({ ...write, args: [5n] }),
  });
  assert.equal(receipt.logs.length, 1);
  assert.equal(await reader.readContract({ address, abi, functionName: "value" }), 5n);
  assert.equal(
    await reader.readContract({ address, abi, functionName: "value", blockNumber: receipt.blockNumber - 1n }),
    0n,
  );
  await assert.rejects(reader.simulateContract({ ...write, args: [0n], account }), /nothing to add/);
  const logs = await reader.getContractEvents({ address, abi, eventName: "Increased", fromBlock: 0n });
  assert.equal(logs[0]?.transactionHash, receipt.transactionHash);
  const gas = await reader.estimateContractGas({ ...write, args: [5n], account });
  const again = await reader.waitForTransactionReceipt({
    hash: await wallet.writeContract({ ...write, args: [5n], gas }),
  });
  assert.equal(again.status, "success", "the estimate suffices");
  assert.ok(gas < again.gasUsed + again.gasUsed / 50n, `estimated ${gas}, used ${again.gasUsed}`);
});

test("block hashes are keccak of the RLP header and getProof verifies against the state root", async () => {
  const { reader } = viemClients();
  const block = await reader.getBlock();
  const raw = (await reader.request({ method: "debug_getRawHeader", params: [block.hash] } as never)) as Hex;
  assert.equal(keccak256(raw), block.hash);
  const address = privateKeyToAccount(sandbox.ready.funded_private_key).address;
  const proof = await reader.getProof({ address, storageKeys: [], blockNumber: block.number });
  const value = await verifyMPTWithMerkleProof(
    await createMPT(),
    hexToBytes(block.stateRoot),
    hexToBytes(keccak256(address)),
    proof.accountProof.map((node) => hexToBytes(node)),
  );
  assert.ok(value);
  const [nonce, balance] = RLP.decode(value) as Uint8Array[];
  assert.equal(BigInt(`0x${Buffer.from(nonce ?? []).toString("hex") || "0"}`), BigInt(proof.nonce));
  assert.equal(BigInt(`0x${Buffer.from(balance ?? []).toString("hex") || "0"}`), proof.balance);
});

test("block 0 exists and each block names its parent", async () => {
  const { reader } = viemClients();
  const blocks = await Promise.all([0n, 1n, 2n].map((blockNumber) => reader.getBlock({ blockNumber })));
  assert.equal(blocks[0]?.parentHash, `0x${"00".repeat(32)}`);
  assert.equal(blocks[1]?.parentHash, blocks[0]?.hash);
  assert.equal(blocks[2]?.parentHash, blocks[1]?.hash);
});

test("viem over WebSocket follows newHeads and logs", async () => {
  const { chain, reader } = viemClients();
  const socket = createPublicClient({ chain, transport: webSocket(sandbox.ready.json_rpc_ws_url) });
  const heads: bigint[] = [];
  const unwatch = socket.watchBlocks({ onBlock: (block) => heads.push(block.number) });
  await until("three heads", () => heads.length >= 3);
  unwatch();
  assert.deepEqual(heads.slice(1, 3), [(heads[0] ?? 0n) + 1n, (heads[0] ?? 0n) + 2n]);
  assert.ok((await reader.getBlockNumber()) >= (heads.at(-1) ?? 0n));
  const transport = await socket.transport.getRpcClient();
  transport.close();
});

test("ethers v6: transfer, deploy, call, logs, over HTTP and WebSocket", async () => {
  const { ready } = sandbox;
  const provider = new JsonRpcProvider(ready.json_rpc_url, ready.evm_chain_id, { staticNetwork: true, polling: true });
  provider.pollingInterval = 100;
  const wallet = new NonceManager(new Wallet(await freshKey(), provider));
  const transfer = await (await wallet.sendTransaction({ to: OTHER, value: 7n })).wait();
  assert.equal(transfer?.status, 1);
  const factory = new ContractFactory(counter.abi as never, counter.bytecode, wallet);
  const deployed = (await (await factory.deploy()).waitForDeployment()) as Contract;
  const receipt = await (await deployed.getFunction("increase")(3n)).wait();
  assert.equal(receipt.logs.length, 1);
  assert.equal(await deployed.getFunction("value")(), 3n);
  const socket = new WebSocketProvider(ready.json_rpc_ws_url, ready.evm_chain_id);
  const head = await new Promise<number>((resolve) => socket.once("block", resolve));
  assert.ok(head > receipt.blockNumber);
  await socket.destroy();
  provider.destroy();
});

test("foundry's cast: chain id, balance, send, receipt, call", async () => {
  const cast = join(ROOT, "node_modules/.bin/cast");
  const run = async (...args: string[]) => {
    const { stdout } = await promisify(execFile)(cast, args, {
      env: { ...process.env, ETH_RPC_URL: sandbox.ready.json_rpc_url },
    });
    return stdout.trim();
  };
  const key = await freshKey();
  assert.equal(await run("chain-id"), String(sandbox.ready.evm_chain_id));
  const sent = JSON.parse(await run("send", OTHER, "--value", "1", "--private-key", key, "--json"));
  assert.equal(sent.status, "0x1");
  const receipt = JSON.parse(await run("receipt", sent.transactionHash, "--json"));
  assert.equal(receipt.blockHash, sent.blockHash);
  const created = JSON.parse(await run("send", "--private-key", key, "--json", "--create", counter.bytecode));
  assert.equal(await run("call", created.contractAddress, "value()(uint256)"), "0");
});
