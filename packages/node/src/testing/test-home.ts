/** For tests: a sandbox-like home in a temporary directory, a node on free ports, and its keys. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SANDBOX_ACCOUNTS, SANDBOX_BALANCE_WEI } from "@cairn/chain";
import { initNodeHome } from "../init-node-home.ts";
import { type RunningNode, type StartNodeOptions, startNode } from "../start-node.ts";

const quiet = () => undefined;
const LOG = { debug: quiet, info: quiet, warn: quiet, error: quiet };

/** A home with the sandbox's accounts funded. */
export interface TestHome {
  readonly dir: string;
  /** A node on free loopback ports with a block each 50 ms; `close` ends it too. */
  start(options?: Partial<StartNodeOptions>): Promise<RunningNode>;
  /** Closes the nodes started here and deletes the home. */
  close(): Promise<void>;
}

/** Makes a home in a temporary directory. */
export async function createTestHome(): Promise<TestHome> {
  const dir = await mkdtemp(join(tmpdir(), "cairn-node-"));
  await initNodeHome({
    home: dir,
    balances: Object.fromEntries(SANDBOX_ACCOUNTS.map((account) => [account, SANDBOX_BALANCE_WEI])),
    allowUnprotectedTxs: true,
  });
  const nodes: RunningNode[] = [];
  return {
    dir,
    async start(options) {
      const node = await startTestNode(dir, options);
      nodes.push(node);
      return node;
    },
    async close() {
      await Promise.all(nodes.map((node) => node.close()));
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** A node on free loopback ports with a block each 50 ms. */
export function startTestNode(home: string, options: Partial<StartNodeOptions> = {}): Promise<RunningNode> {
  const free = { host: "127.0.0.1", port: 0 };
  const namespaces = ["eth", "net", "web3", "txpool", "debug", "personal", "miner"];
  return startNode({
    home,
    blockIntervalMs: 50,
    jsonRpc: { http: free, ws: free, namespaces },
    consensusRpc: free,
    log: LOG,
    ...options,
  });
}

/** Waits until `check` answers something, asking every few milliseconds; fails after `withinMs`. */
export async function eventually<T>(
  check: () => Promise<T | undefined> | T | undefined,
  withinMs = 15_000,
): Promise<T> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const value = await check();
    if (value !== undefined) return value;
    if (performance.now() > deadline) throw new Error("the condition did not come true in time");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
