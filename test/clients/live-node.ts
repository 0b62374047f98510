/** A running sandbox for the suites of outside clients: funded keys, plain calls, one contract every client deploys. */
import assert from "node:assert/strict";
import { createPublicClient, createWalletClient, defineChain, type Hex, http, parseEther } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { type SandboxProcess, startSandbox } from "../e2e/cairn-process.ts";
import { COUNTER_SOURCE, type Compiled, compile } from "../solidity.ts";

/** An address nobody has a key of. */
export const OTHER: Hex = "0x000000000000000000000000000000000000dEaD";

/** The contract all suites use. */
export const counter: Compiled = compile(COUNTER_SOURCE);

/** A reply of the node as it stands on the wire. */
export interface WireReply {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** A sandbox with 200 ms blocks. */
export interface LiveNode {
  readonly sandbox: SandboxProcess;
  readonly httpUrl: string;
  readonly wsUrl: string;
  readonly chainId: number;
  /** A fresh account with a hundred coins, so that no two suites share nonces. */
  freshKey(): Promise<Hex>;
  /** One call by plain fetch, without a client in between. */
  call(method: string, params?: readonly unknown[]): Promise<WireReply>;
  /** The same with the operator token. */
  asOperator(method: string, params?: readonly unknown[]): Promise<WireReply>;
  close(): Promise<void>;
}

/** Starts one. */
export async function startLiveNode(): Promise<LiveNode> {
  const sandbox = await startSandbox({ args: ["--consensus.block-interval", "200ms"] });
  const { ready } = sandbox;
  return {
    sandbox,
    httpUrl: ready.json_rpc_url,
    wsUrl: ready.json_rpc_ws_url,
    chainId: ready.evm_chain_id,
    freshKey: () => fundedKey(ready.funded_private_key, viemChain(sandbox)),
    call: (method, params = []) => post(ready.json_rpc_url, { method, params }),
    asOperator: (method, params = []) => {
      const authorization = `Bearer ${ready.operator_token}`;
      return post(ready.json_rpc_url, { method, params }, { authorization });
    },
    close: async () => assert.equal(await sandbox.stop(), 0),
  };
}

async function post(url: string, call: object, headers: Readonly<Record<string, string>> = {}): Promise<WireReply> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, ...call });
  const reply = await fetch(url, { method: "POST", headers: { "content-type": "application/json", ...headers }, body });
  return (await reply.json()) as WireReply;
}

/** The chain as viem describes it. */
export function viemChain({ ready }: SandboxProcess) {
  return defineChain({
    id: ready.evm_chain_id,
    name: "cairn",
    nativeCurrency: { name: "Cairn", symbol: "CRN", decimals: 18 },
    rpcUrls: { default: { http: [ready.json_rpc_url], webSocket: [ready.json_rpc_ws_url] } },
  });
}

async function fundedKey(funder: Hex, chain: ReturnType<typeof viemChain>): Promise<Hex> {
  const fund = createWalletClient({ chain, transport: http(), account: privateKeyToAccount(funder) });
  const reader = createPublicClient({ chain, transport: http(), pollingInterval: 100 });
  const key = generatePrivateKey();
  const hash = await fund.sendTransaction({ to: privateKeyToAccount(key).address, value: parseEther("100") });
  await reader.waitForTransactionReceipt({ hash });
  return key;
}
