/**
 * Records the examples of the reference pages from a live node: `node --conditions=cairn-source
 * tools/record-examples.ts`.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { makeExampleCalls } from "../test/clients/example-calls.ts";
import { startLiveNode } from "../test/clients/live-node.ts";
import { EXAMPLES } from "./generate.ts";

const node = await startLiveNode();
try {
  const calls = await makeExampleCalls(node);
  const examples = Object.fromEntries(calls.map(({ method, params, result }) => [method, { params, result }]));
  mkdirSync(dirname(EXAMPLES), { recursive: true });
  writeFileSync(EXAMPLES, `${JSON.stringify(examples, null, 2)}\n`);
} finally {
  await node.close();
}
