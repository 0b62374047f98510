/**
 * For tests: a node as a process of its own, to be killed; arguments: home, block interval. Prints one line of JSON
 * when it answers.
 */
import { argv, exit, stderr, stdout } from "node:process";
import { startTestNode } from "./test-home.ts";

const [, , home = "", blockIntervalMs = "50"] = argv;
const node = await startTestNode(home, { blockIntervalMs: Number(blockIntervalMs) });
node.failed.catch((error: unknown) => {
  stderr.write(`the node failed: ${String(error)}\n`);
  exit(1);
});
stdout.write(`${JSON.stringify({ jsonRpcUrl: node.jsonRpcUrl, consensusRpcUrl: node.consensusRpcUrl })}\n`);
