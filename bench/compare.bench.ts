/**
 * The same reads and transfers against `cairn sandbox`, anvil and geth --dev, all running at once and measured in turns:
 * requests per second, latencies and the server's processor time per request at 1, 16 and 64 connections.
 */
import { type HttpLoadResult, httpLoad } from "./http-load.ts";
import { round } from "./load.ts";
import { cpuMicros, type Peer, rpc, startPeers } from "./peers.ts";
import {
  balanceOf,
  fullBlock,
  measureTransfers,
  type Prepared,
  prepare,
  senders,
  sprinkle,
  transferData,
} from "./workload.ts";

const CONNECTIONS = [1, 16, 64];
const BLOCK_SIZE = 200;

interface Options {
  /** Seconds per peer, method and number of connections. */
  readonly seconds: number;
  readonly transfers: number;
  /** Blocks that the sparse token's logs are spread over. */
  readonly blocks: number;
  /** Only these methods. */
  readonly only?: readonly string[];
}

interface Figures extends HttpLoadResult {
  readonly cpuMicros: number;
}

/** One measurement per method, number of connections and peer. */
export async function compare(options: Options, record: (name: string, figures: object) => void): Promise<void> {
  const peers = await startPeers();
  try {
    const prepared = await Promise.all(peers.map(prepare));
    for (const chain of prepared) {
      const figures = options.transfers > 0 ? await measureTransfers(chain, options.transfers) : {};
      if (options.transfers > 0)
        record("compare-transfers", { peer: chain.peer.name, count: options.transfers, ...figures });
    }
    const bodies = await Promise.all(prepared.map((chain) => requests(chain, options.blocks)));
    const methods = Object.keys(bodies[0] ?? {}).filter((name) => options.only?.includes(name) ?? true);
    for (const method of methods) {
      const row: Record<string, Record<string, Figures>> = {};
      for (const connections of CONNECTIONS) {
        for (const [i, { peer }] of prepared.entries()) {
          const body = bodies[i]?.[method];
          if (body === undefined) continue;
          const figures = await measure(peer, body, connections, options.seconds);
          row[peer.name] = { ...row[peer.name], [connections]: figures };
        }
      }
      record("compare-reads", { method, ...row });
    }
  } finally {
    await Promise.all(peers.map((peer) => peer.close()));
  }
}

async function measure(peer: Peer, body: string, connections: number, seconds: number): Promise<Figures> {
  await httpLoad({ url: peer.url, connections, seconds: Math.min(0.5, seconds), body: () => body });
  const before = cpuMicros(peer.pid);
  const result = await httpLoad({ url: peer.url, connections, seconds, body: () => body });
  return { ...result, cpuMicros: round((cpuMicros(peer.pid) - before) / result.requests) };
}

/** anvil keeps no steps unless it is started with them, which would slow everything else. */
function isEmptyTrace(result: unknown): boolean {
  const logs = typeof result === "object" && result !== null && "structLogs" in result ? result.structLogs : undefined;
  return Array.isArray(logs) && logs.length === 0;
}

/** The requests of one chain by method, as JSON texts whose answers were checked once. */
async function requests(chain: Prepared, blocks: number): Promise<Readonly<Record<string, string>>> {
  const { peer, token, sparse } = chain;
  await sprinkle(chain, blocks);
  const block = await fullBlock(chain, BLOCK_SIZE);
  const { transactions } = await rpc<{ transactions: readonly string[] }>(
    peer.url,
    "eth_getBlockByNumber",
    block,
    false,
  );
  const [owner] = senders;
  const from = owner?.address ?? "0x";
  const traced = transactions[BLOCK_SIZE / 2];
  const calls: Readonly<Record<string, readonly unknown[]>> = {
    eth_blockNumber: [],
    eth_getBalance: [from, "latest"],
    eth_call: [{ to: token, data: balanceOf(from as `0x${string}`) }, "latest"],
    eth_getBlockByNumber: [block, true],
    eth_getTransactionReceipt: [transactions[BLOCK_SIZE / 2]],
    eth_getBlockReceipts: [block],
    eth_getLogs: [{ address: sparse, fromBlock: "0x0", toBlock: "latest" }],
    eth_estimateGas: [{ from, to: token, data: transferData }],
    "debug_traceTransaction struct logs": [traced, {}],
    "debug_traceTransaction callTracer": [traced, { tracer: "callTracer" }],
  };
  const bodies: Record<string, string> = {};
  for (const [name, params] of Object.entries(calls)) {
    const [method = name] = name.split(" ");
    const result = await rpc<unknown>(peer.url, method, ...params);
    if (isEmptyTrace(result)) continue;
    if (result === null || result === "0x") throw new Error(`${peer.name} answers ${name} with nothing`);
    bodies[name] = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  }
  return bodies;
}
