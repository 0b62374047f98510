/** For tests: this node and geth side by side, with the same contract and the same transactions on both. */
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { encodeFunctionData, getContractAddress, type Hex } from "viem";
import { mnemonicToAccount } from "viem/accounts";
import { type GethNode, gethBinary, startGeth } from "./geth-node.ts";
import { type LiveNode, startLiveNode, testGenesis } from "./live-node.ts";
import { compileTraceContract } from "./trace-contract.ts";

const MNEMONIC = "test test test test test test test test test test test junk";
/** Who sends everything. */
export const alice = mnemonicToAccount(MNEMONIC, { addressIndex: 2 });
/** What everything is sent to. */
export const contract = compileTraceContract();
/** Its address. */
export const tree = getContractAddress({ from: alice.address, nonce: 0n });
const ETHER = 10n ** 18n;

/** One of the two. */
export interface Peer {
  ask(method: string, ...params: unknown[]): Promise<unknown>;
  send(raw: Hex): Promise<Hex>;
}

interface Step {
  readonly name: string;
  readonly data?: Hex;
  readonly value?: bigint;
  readonly gas?: bigint;
}

/** Calldata of one of the contract's functions. */
export const does = (functionName: string, args: readonly unknown[] = []): Hex =>
  encodeFunctionData({ abi: contract.abi, functionName, args });

const STEPS: readonly Step[] = [
  { name: "transfer", value: 5n },
  { name: "grow", data: does("grow", [3n]), value: 11n },
  { name: "survive", data: does("survive") },
  { name: "make", data: does("make", [5n, `0x${"07".repeat(32)}`]), value: 9n },
  { name: "refuse", data: does("refuse") },
  { name: "burn", data: does("burn"), gas: 100_000n },
  { name: "underflow", data: does("underflow") },
  { name: "out of gas", data: does("grow", [77n]), gas: 60_000n },
];

async function committed(peer: Peer, raw: Hex): Promise<Hex> {
  const hash = await peer.send(raw);
  const deadline = performance.now() + 20_000;
  while ((await peer.ask("eth_getTransactionReceipt", hash)) === null) {
    assert.ok(performance.now() < deadline, "not included in time");
    await delay(20);
  }
  return hash;
}

/** Deploys and runs every step; the hashes by name. */
export async function play(peer: Peer): Promise<Map<string, Hex>> {
  const fees = { maxFeePerGas: 20_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n } as const;
  const base = { type: "eip1559", chainId: 358_587, ...fees } as const;
  const hashes = new Map<string, Hex>();
  const deploy = { ...base, nonce: 0, data: contract.bytecode, value: ETHER, gas: 3_000_000n };
  hashes.set("deploy", await committed(peer, await alice.signTransaction(deploy)));
  for (const [index, { name, data, value = 0n, gas = 600_000n }] of STEPS.entries()) {
    const tx = { ...base, nonce: index + 1, to: tree, value, gas, ...(data ? { data } : {}) };
    hashes.set(name, await committed(peer, await alice.signTransaction(tx)));
  }
  return hashes;
}

/** Both nodes after the same transactions, whose hashes (fees differ) stand by name. */
export interface TracePeers {
  readonly node: LiveNode;
  readonly geth: GethNode;
  readonly ours: Peer;
  readonly theirs: Peer;
  readonly our: ReadonlyMap<string, Hex>;
  readonly their: ReadonlyMap<string, Hex>;
  close(): Promise<void>;
}

/** A node as a peer; ours as its operator. */
export function peerOf(from: LiveNode | Pick<GethNode, "rpc">): Peer {
  const ask = async (method: string, ...params: unknown[]) => {
    const { result, error } = await ("asOperator" in from ? from.asOperator : from.rpc)(method, ...params);
    return error === undefined ? result : { error };
  };
  return { ask, send: async (raw) => String(await ask("eth_sendRawTransaction", raw)) as Hex };
}

/** Starts both and plays every step. */
export async function startTracePeers(): Promise<TracePeers> {
  const node = await startLiveNode();
  const geth = await startGeth(gethBinary ?? "", testGenesis());
  const [ours, theirs] = [peerOf(node), peerOf(geth)];
  const [our, their] = await Promise.all([play(ours), play(theirs)]);
  const close = async (): Promise<void> => {
    await node.close();
    await geth.close();
  };
  return { node, geth, ours, theirs, our, their, close };
}
