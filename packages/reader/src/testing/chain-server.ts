/** An EVM endpoint for tests: a chain of real headers that can be extended, reorganised, made to lag or to fail. */
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import {
  bytesToHex,
  emptyTrieRoot,
  encodeHeader,
  type Hash,
  type Header,
  headerHash,
  quantityToHex,
} from "@cairn/primitives";

const ZERO_32: Hash = `0x${"00".repeat(32)}`;

/** A chain to come back to. */
export type ChainSnapshot = readonly { readonly header: Header; readonly hash: Hash }[];

/** An EVM chain of headers that a test moves. */
export interface ChainServer {
  readonly url: string;
  hashes(): readonly Hash[];
  extend(count: number): void;
  /** Replaces the blocks above `height` by as many others plus one. */
  reorg(height: number): void;
  /** The chain as it is, to come back to. */
  snapshot(): ChainSnapshot;
  restore(snapshot: ChainSnapshot): void;
  /** Every call fails until set back. */
  failing: boolean;
  /** Sends what `mutate` makes of a block. */
  mutate: ((block: Record<string, unknown>) => Record<string, unknown>) | undefined;
  /** Claims this height as its newest. */
  claims: number | undefined;
  /** What `eth_getLogs` gives, by block number (0x-hex) of each. */
  logs: readonly { readonly blockNumber: string }[];
  /** Widest range that `eth_getLogs` answers. */
  widest: number;
  /** Calls that were under way at once, at the most. */
  readonly busiest: () => number;
  /** Every method asked. */
  readonly asked: string[];
  close(): Promise<void>;
}

/** A chain with block 0 only. */
export async function startChainServer(chainId = 31_337): Promise<ChainServer> {
  const blocks: { header: Header; hash: Hash }[] = [];
  let variant = 0;
  const append = () => {
    const parent = blocks.at(-1);
    const header = makeHeader(BigInt(blocks.length), parent?.hash ?? ZERO_32, variant);
    blocks.push({ header, hash: headerHash(encodeHeader(header)) });
  };
  append();
  const state = {
    failing: false,
    mutate: undefined as ChainServer["mutate"],
    claims: undefined as ChainServer["claims"],
    logs: [] as ChainServer["logs"],
    widest: Number.POSITIVE_INFINITY,
    asked: [] as string[],
  };
  let busy = 0;
  let busiest = 0;
  const server = createServer(async (request, response) => {
    const { method, params, id } = JSON.parse(await read(request));
    state.asked.push(method);
    busy += 1;
    busiest = Math.max(busiest, busy);
    response.on("close", () => {
      busy -= 1;
    });
    if (state.failing) {
      response.writeHead(500).end("no");
      return;
    }
    const tooWide = method === "eth_getLogs" && widthOf(params[0]) > state.widest;
    const error = { code: -32_000, message: "block range is too wide" };
    const told = tooWide ? { error } : { result: answer(method, params) };
    response.end(JSON.stringify({ jsonrpc: "2.0", id, ...told }));
  });
  function answer(method: string, params: readonly unknown[]): unknown {
    if (method === "eth_chainId") return quantityToHex(chainId);
    if (method === "eth_blockNumber") return quantityToHex(state.claims ?? blocks.length - 1);
    if (method === "eth_getLogs") return logsOf(params[0] as LogFilter, state.logs);
    const block = blocks[Number(params[0])];
    if (block === undefined) return null;
    const fields = toJson(block.header, block.hash);
    return state.mutate === undefined ? fields : state.mutate(fields);
  }
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(state, {
    url: `http://127.0.0.1:${port}/`,
    hashes: () => blocks.map((block) => block.hash),
    busiest: () => busiest,
    snapshot: () => [...blocks],
    restore(snapshot: ChainSnapshot) {
      blocks.splice(0, blocks.length, ...snapshot);
      variant += 1;
    },
    extend(count: number) {
      for (let i = 0; i < count; i += 1) append();
    },
    reorg(height: number) {
      const replaced = blocks.length - 1 - height;
      blocks.length = height + 1;
      variant += 1;
      for (let i = 0; i < replaced + 1; i += 1) append();
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}

interface LogFilter {
  readonly fromBlock: string;
  readonly toBlock: string;
}

function widthOf({ fromBlock, toBlock }: LogFilter): number {
  return Number(toBlock) - Number(fromBlock) + 1;
}

function logsOf({ fromBlock, toBlock }: LogFilter, logs: ChainServer["logs"]) {
  const isIn = ({ blockNumber }: { readonly blockNumber: string }) =>
    Number(blockNumber) >= Number(fromBlock) && Number(blockNumber) <= Number(toBlock);
  return logs.filter(isIn);
}

function makeHeader(number: bigint, parentHash: Hash, variant: number): Header {
  const root = bytesToHex(emptyTrieRoot());
  return {
    parentHash,
    sha3Uncles: ZERO_32,
    miner: `0x${"11".repeat(20)}`,
    stateRoot: root,
    transactionsRoot: root,
    receiptsRoot: root,
    logsBloom: `0x${"00".repeat(256)}`,
    difficulty: 0n,
    number,
    gasLimit: 30_000_000n,
    gasUsed: 0n,
    timestamp: 1_700_000_000n + number,
    extraData: `0x${variant.toString(16).padStart(2, "0")}`,
    mixHash: ZERO_32,
    nonce: "0x0000000000000000",
    baseFeePerGas: 1n,
  };
}

function toJson(header: Header, hash: Hash): Record<string, unknown> {
  const entries = Object.entries(header).map(([key, value]) => [
    key,
    typeof value === "bigint" ? quantityToHex(value) : value,
  ]);
  return { ...Object.fromEntries(entries), hash };
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
