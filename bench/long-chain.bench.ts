/**
 * Chains of 10,000 blocks, each hundredth with a log of one contract: `eth_getLogs` of that contract over all of them,
 * side by side, and what memory the servers hold. Then Cairn alone: at 100,000 blocks, and with 10,000 subscriptions.
 */
import { type Address, type Hex, toHex } from "viem";
import { until } from "../test/e2e/until.ts";
import { httpLoad } from "./http-load.ts";
import { round } from "./load.ts";
import { cpuMicros, type Peer, rpc, startCairn, startPeers } from "./peers.ts";
import { residentBytes } from "./store.bench.ts";
import { type Prepared, passBlock, prepare, sprinkle } from "./workload.ts";

const STRIDE = 100;
const PATIENCE_MS = 1_800_000;

type Record = (name: string, figures: object) => void;

/** Blocks of a chain, both ends included. */
interface Range {
  readonly from: number;
  readonly to: number;
}

/** `eth_getLogs` of one address over `blocks` blocks, and resident memory, per peer. */
export async function longChain(blocks: number, record: Record): Promise<void> {
  let peers = await startPeers({ fast: true });
  try {
    const chains = await Promise.all(peers.map(prepare));
    const ranges = await Promise.all(chains.map((chain) => lengthen(chain, blocks)));
    peers = await Promise.all(peers.map((peer) => peer.calm?.() ?? peer));
    for (const connections of [1, 16, 64]) {
      for (const [i, peer] of peers.entries()) {
        const [chain, range] = [chains[i], ranges[i]];
        if (chain === undefined || range === undefined) continue;
        record("long-chain", await measureLogs(peer, chain.sparse, range, connections));
      }
    }
  } finally {
    await Promise.all(peers.map((peer) => peer.close()));
  }
}

async function height({ url }: Peer): Promise<number> {
  return Number(await rpc<Hex>(url, "eth_blockNumber"));
}

/** A log, then blocks without one, until the chain has grown by `blocks`. */
async function lengthen(chain: Prepared, blocks: number): Promise<Range> {
  const { peer } = chain;
  const from = (await height(peer)) + 1;
  for (let at = from; at < from + blocks; at += STRIDE) {
    await sprinkle(chain, 1);
    if (peer.name === "anvil") await rpc(peer.url, "anvil_mine", toHex(STRIDE - 1));
    else if (peer.name === "geth") while ((await height(peer)) < at + STRIDE) await passBlock(chain);
    else await until(`block ${at + STRIDE}`, async () => (await height(peer)) >= at + STRIDE, PATIENCE_MS);
  }
  return { from, to: await height(peer) };
}

async function measureLogs(peer: Peer, address: Address, { from, to }: Range, connections: number): Promise<object> {
  const params = [{ address, fromBlock: toHex(from), toBlock: toHex(to) }];
  const logs = (await rpc<readonly unknown[]>(peer.url, "eth_getLogs", ...params)).length;
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getLogs", params });
  await httpLoad({ url: peer.url, connections, seconds: 0.5, body: () => body });
  const before = cpuMicros(peer.pid);
  const result = await httpLoad({ url: peer.url, connections, seconds: 2, body: () => body });
  const cpu_micros = round((cpuMicros(peer.pid) - before) / result.requests);
  return { peer: peer.name, blocks: to - from + 1, logs, connections, ...result, cpu_micros, rss_mib: mebibytes(peer) };
}

const mebibytes = ({ pid }: Peer): number => Math.round(residentBytes(pid) / 2 ** 20);

/** Resident memory of a sandbox at growing heights, then with so many open `newHeads` subscriptions. */
export async function memory(o: { readonly blocks: number; readonly subscriptions: number }, record: Record) {
  const cairn = await startCairn(true);
  const sockets: WebSocket[] = [];
  try {
    for (let at = 1_000; at <= o.blocks; at *= 10) {
      await until(`block ${at}`, async () => (await height(cairn)) >= at, PATIENCE_MS);
      record("memory", { blocks: await height(cairn), rss_mib: mebibytes(cairn) });
    }
    const before = mebibytes(cairn);
    for (let open = 0; open < o.subscriptions; open += STRIDE) sockets.push(await subscribe(cairn.wsUrl ?? "", STRIDE));
    record("memory", { subscriptions: o.subscriptions, rss_mib: mebibytes(cairn), before_mib: before });
  } finally {
    for (const socket of sockets) socket.close();
    await cairn.close();
  }
}

/** A socket with `count` subscriptions, all confirmed. */
async function subscribe(url: string, count: number): Promise<WebSocket> {
  const socket = new WebSocket(url);
  await new Promise((resolve) => socket.addEventListener("open", resolve));
  let confirmed = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  socket.addEventListener("message", ({ data }) => {
    if (String(data).includes('"id":')) confirmed += 1;
    if (confirmed === count) resolve();
  });
  for (let id = 1; id <= count; id += 1) {
    socket.send(JSON.stringify({ jsonrpc: "2.0", id, method: "eth_subscribe", params: ["newHeads"] }));
  }
  await promise;
  return socket;
}
