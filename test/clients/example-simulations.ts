/** The example calls of what is simulated, sent raw, or subscribed to. */
import { once } from "node:events";
import { type Hex, pad } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { type LiveNode, OTHER, type WireReply } from "./live-node.ts";

/** What these calls name. */
export interface SimulationScene {
  readonly account: Hex;
  readonly key: Hex;
  readonly contract: Hex;
  readonly block: Hex;
}

/** Makes one call and notes it. */
export type Make = (method: string, params: readonly unknown[]) => Promise<unknown>;

function simulationCalls({ account, contract, block }: SimulationScene): Readonly<Record<string, readonly unknown[]>> {
  const call = { from: account, to: contract, data: "0x3fa4f245" };
  return {
    eth_createAccessList: [call, "latest"],
    eth_simulateV1: [{ blockStateCalls: [{ blockOverrides: { feeRecipient: OTHER }, calls: [call] }] }, "latest"],
    eth_callMany: [[{ transactions: [call] }], { blockNumber: block, transactionIndex: 0 }],
    eth_getStorageValues: [{ [contract]: [pad("0x00")] }, "latest"],
    eth_pendingTransactions: [],
    eth_getTransactionBySenderAndNonce: [account, "0x0"],
    eth_config: [],
  };
}

async function signed(node: LiveNode, { account, key }: SimulationScene): Promise<Hex> {
  const { result } = await node.call("eth_getTransactionCount", [account, "pending"]);
  const fees = { maxFeePerGas: 3_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n };
  const base = { type: "eip1559", chainId: node.chainId, nonce: Number(result), to: OTHER, gas: 21_000n } as const;
  return privateKeyToAccount(key).signTransaction({ ...base, ...fees, value: 1n });
}

async function overSocket(socket: WebSocket, method: string, params: readonly unknown[]): Promise<unknown> {
  socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }));
  for (;;) {
    const [{ data }] = (await once(socket, "message")) as [MessageEvent];
    const reply = JSON.parse(String(data)) as WireReply & { readonly id?: number };
    // Heads may come in between.
    if (reply.id === 1) return reply.result;
  }
}

/** Makes them all. `note` takes calls made over WebSocket. */
export async function makeSimulationCalls(
  node: LiveNode,
  scene: SimulationScene,
  make: Make,
  note: (method: string, params: readonly unknown[], result: unknown) => void,
): Promise<void> {
  for (const [method, params] of Object.entries(simulationCalls(scene))) await make(method, params);
  await make("eth_sendRawTransaction", [await signed(node, scene)]);
  await make("eth_sendRawTransactionSync", [await signed(node, scene), "0x2710"]);
  const socket = new WebSocket(node.wsUrl);
  await once(socket, "open");
  const id = await overSocket(socket, "eth_subscribe", ["newHeads"]);
  note("eth_subscribe", ["newHeads"], id);
  note("eth_unsubscribe", [id], await overSocket(socket, "eth_unsubscribe", [id]));
  socket.close();
}
