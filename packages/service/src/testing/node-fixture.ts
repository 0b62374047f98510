/** A chain node for tests of the service, with the service's keys funded. */
import { randomBytes } from "node:crypto";
import type { TestContext } from "node:test";
import { initNodeHome, type RunningNode, startNode } from "@cairn/node";
import { settlerAddress } from "../index.ts";
import { atEnd, testLog } from "./fixture.ts";

const LOOPBACK = { host: "127.0.0.1", port: 0 };
const SETTLER_BALANCE_WEI = 10n ** 24n;

/** The service's keys; the settler's is funded in the genesis. */
export const KEYS = { settlerKey: randomBytes(32), anchorKey: randomBytes(32) };

/** Makes the home's chain and starts its node; it is closed when the test ends. */
export async function runNode(t: TestContext, home: string): Promise<RunningNode> {
  await initNodeHome({ home, balances: { [settlerAddress(KEYS.settlerKey)]: SETTLER_BALANCE_WEI } });
  return reopenNode(t, home);
}

/** Starts the node of a home that has its chain. */
export async function reopenNode(t: TestContext, home: string): Promise<RunningNode> {
  const node = await startNode({
    home,
    blockIntervalMs: 200,
    // The namespaces of a node as `cairn start` runs it: a service needs no more.
    jsonRpc: { http: LOOPBACK, ws: LOOPBACK, namespaces: ["eth", "net", "web3"] },
    consensusRpc: LOOPBACK,
    log: testLog,
  });
  atEnd(t, () => node.close());
  return node;
}

/** Where the service finds the node. */
export const endpoints = (node: RunningNode) => ({
  nodeRpcUrl: node.jsonRpcUrl,
  consensusRpcUrl: node.consensusRpcUrl,
});
