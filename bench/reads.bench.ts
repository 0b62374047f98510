/** Reads per second over HTTP with 16 connections. */
import type { Ready } from "../packages/cli/src/sandbox/ready.ts";
import { type LoadResult, load } from "./load.ts";

const ACCOUNT = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";

const CALLS: Readonly<Record<string, readonly unknown[]>> = {
  eth_blockNumber: [],
  eth_getBalance: [ACCOUNT, "latest"],
  eth_getTransactionCount: [ACCOUNT, "latest"],
  eth_call: [{ to: "0x000000000000000000000000000000000000c001", data: "0x" }, "latest"],
  eth_getBlockByNumber: ["latest", false],
};

/** Each method for a few seconds. */
export async function reads(ready: Ready, seconds: number): Promise<Readonly<Record<string, LoadResult>>> {
  const results: Record<string, LoadResult> = {};
  for (const [method, params] of Object.entries(CALLS)) {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    results[method] = await load({
      url: ready.json_rpc_url,
      connections: 16,
      body: () => body,
      accept: (status, text) => status === 200 && text.includes('"jsonrpc"'),
      maxSeconds: seconds,
    });
  }
  return results;
}
