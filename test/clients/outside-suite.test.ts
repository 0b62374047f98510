/** go-ethereum's ethclient and web3.py against the node. A suite whose language is missing is skipped and says so. */
import { join } from "node:path";
import { after, before, test } from "node:test";
import { ROOT } from "../../tools/stages.ts";
import { outsideTool } from "../anchoring/outside-tool.ts";
import { type LiveNode, startLiveNode } from "./live-node.ts";
import { runOutsideSuite } from "./outside-suite.ts";

const ethclient = outsideTool("CAIRN_ETHCLIENT_SUITE");
const python = outsideTool("CAIRN_WEB3PY", ".cache/cairn/web3py-7.16.0/bin/python");
const missing = (what: string, language: string) => `${what} is not here: npm test brings it where ${language} is`;

let node: LiveNode | undefined;
before(async () => {
  if (ethclient !== undefined || python !== undefined) node = await startLiveNode();
});
after(() => node?.close());

test("go-ethereum's ethclient", { skip: ethclient === undefined && missing("the Go suite", "Go") }, async (t) => {
  if (node === undefined || ethclient === undefined) return;
  await runOutsideSuite(t, node, { program: ethclient, atLeast: 16 });
});

test("web3.py", { skip: python === undefined && missing("web3.py", "Python") }, async (t) => {
  if (node === undefined || python === undefined) return;
  const script = join(ROOT, "test/clients/python/web3_suite.py");
  await runOutsideSuite(t, node, { program: python, args: [script], atLeast: 12 });
});
