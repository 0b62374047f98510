/** The example call of each method on a small chain of known content: recorded for the reference pages, run by a test. */
import { type MethodTable, methodTables } from "@cairn/api";
import { createPublicClient, createWalletClient, type Hex, http } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { signingCalls } from "./example-signing.ts";
import { makeSimulationCalls } from "./example-simulations.ts";
import { traceCalls } from "./example-traces.ts";
import { counter, type LiveNode, OTHER, viemChain } from "./live-node.ts";

/** What the example calls name. */
interface Scene {
  readonly account: Hex;
  readonly key: Hex;
  readonly contract: Hex;
  readonly transaction: Hex;
  readonly blockHash: Hex;
  readonly block: Hex;
  readonly topic: Hex;
}

/** Deploys the counter and increases it once. */
async function setScene(node: LiveNode): Promise<Scene> {
  const key = await node.freshKey();
  const account = privateKeyToAccount(key);
  const chain = viemChain(node.sandbox);
  const wallet = createWalletClient({ chain, transport: http(), account });
  const reader = createPublicClient({ chain, transport: http(), pollingInterval: 100 });
  const deployment = await wallet.deployContract({ abi: counter.abi, bytecode: counter.bytecode });
  const { contractAddress } = await reader.waitForTransactionReceipt({ hash: deployment });
  const address = contractAddress ?? OTHER;
  const hash = await wallet.writeContract({ address, abi: counter.abi, functionName: "increase", args: [5n] });
  const receipt = await reader.waitForTransactionReceipt({ hash });
  return {
    account: account.address,
    key,
    contract: address,
    transaction: hash,
    blockHash: receipt.blockHash,
    block: `0x${receipt.blockNumber.toString(16)}`,
    topic: receipt.logs[0]?.topics[0] ?? "0x",
  };
}

function accountCalls({ account, contract, block }: Scene): Readonly<Record<string, readonly unknown[]>> {
  const call = { from: account, to: contract, data: "0x3fa4f245" };
  return {
    eth_getBalance: [account, "latest"],
    eth_getCode: [contract, "latest"],
    eth_getStorageAt: [contract, "0x0", "latest"],
    eth_getTransactionCount: [account, "pending"],
    eth_getProof: [contract, ["0x0"], block],
    eth_call: [call, "latest"],
    eth_estimateGas: [call],
    txpool_contentFrom: [account],
  };
}

function blockCalls({ block, blockHash, transaction }: Scene): Readonly<Record<string, readonly unknown[]>> {
  return {
    eth_getBlockByNumber: [block, true],
    eth_getBlockByHash: [blockHash, false],
    eth_getHeaderByNumber: [block],
    eth_getHeaderByHash: [blockHash],
    eth_getBlockTransactionCountByNumber: [block],
    eth_getBlockTransactionCountByHash: [blockHash],
    eth_getUncleCountByBlockHash: [blockHash],
    eth_getUncleCountByBlockNumber: [block],
    eth_getUncleByBlockHashAndIndex: [blockHash, "0x0"],
    eth_getUncleByBlockNumberAndIndex: [block, "0x0"],
    eth_getTransactionByHash: [transaction],
    eth_getTransactionByBlockHashAndIndex: [blockHash, "0x0"],
    eth_getTransactionByBlockNumberAndIndex: [block, "0x0"],
    eth_getTransactionbyBlockNumberAndIndex: [block, "0x0"],
    eth_getTransactionReceipt: [transaction],
    eth_getBlockReceipts: [block],
    eth_getRawTransactionByHash: [transaction],
    eth_getRawTransactionByBlockHashAndIndex: [blockHash, "0x0"],
    eth_getRawTransactionByBlockNumberAndIndex: [block, "0x0"],
    debug_getRawHeader: [block],
    debug_getRawBlock: [block],
    debug_getRawReceipts: [block],
    debug_getRawTransaction: [transaction],
  };
}

const PLAIN_CALLS: Readonly<Record<string, readonly unknown[]>> = {
  eth_chainId: [],
  eth_blockNumber: [],
  eth_syncing: [],
  eth_coinbase: [],
  eth_protocolVersion: [],
  eth_gasPrice: [],
  eth_maxPriorityFeePerGas: [],
  eth_blobBaseFee: [],
  eth_feeHistory: ["0x2", "latest", [25, 75]],
  eth_accounts: [],
  eth_mining: [],
  eth_hashrate: [],
  eth_submitHashrate: [],
  eth_submitWork: [],
  eth_getCompilers: [],
  eth_newBlockFilter: [],
  eth_newPendingTransactionFilter: [],
  net_version: [],
  net_peerCount: [],
  net_listening: [],
  web3_clientVersion: [],
  web3_sha3: ["0x68656c6c6f20776f726c64"],
  txpool_status: [],
  txpool_content: [],
  txpool_inspect: [],
  rpc_modules: [],
};

const TABLES: readonly MethodTable[] = Object.values(methodTables);
const PRIVATE = new Set(
  TABLES.flatMap(Object.entries).flatMap(([name, entry]) =>
    "access" in entry && entry.access === "private" ? [name] : [],
  ),
);

/** A method's example call, made on the node. */
export interface MadeCall {
  readonly method: string;
  readonly params: readonly unknown[];
  readonly result: unknown;
}

/** Makes all example calls; a call that fails throws. */
export async function makeExampleCalls(node: LiveNode): Promise<readonly MadeCall[]> {
  const scene = await setScene(node);
  const made: MadeCall[] = [];
  const make = async (method: string, params: readonly unknown[]): Promise<unknown> => {
    const isPrivate = PRIVATE.has(method);
    const { result, error } = await (isPrivate ? node.asOperator : node.call)(method, params);
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    made.push({ method, params, result });
    return result;
  };
  const traces = await traceCalls(scene, node.chainId);
  const calls = { ...PLAIN_CALLS, ...accountCalls(scene), ...blockCalls(scene), ...traces };
  for (const [method, params] of Object.entries(calls)) await make(method, params);
  await makeSimulationCalls(node, scene, make, (method, params, result) => made.push({ method, params, result }));
  const filter = { address: scene.contract, topics: [scene.topic], fromBlock: "0x0" };
  await make("eth_getLogs", [filter]);
  const id = await make("eth_newFilter", [filter]);
  await make("eth_getFilterLogs", [id]);
  await make("eth_getFilterChanges", [id]);
  await make("eth_uninstallFilter", [id]);
  for (const [method, ...params] of signingCalls(scene.account, scene.key)) {
    const before = made.at(-1)?.result;
    await make(
      method,
      params.map((param) => (param === "$" ? before : param)),
    );
  }
  return made;
}
