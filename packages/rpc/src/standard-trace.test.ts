/** Standard traces: the same lines in our files as in geth's, and files only where they belong. */
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { after, before, describe, it, test } from "node:test";
import type { Hex } from "viem";
import { skipWithoutGeth } from "./testing/geth-node.ts";
import { type LiveNode, startLiveNode } from "./testing/live-node.ts";
import { type Peer, startTracePeers, type TracePeers } from "./testing/trace-peers.ts";
import { sendTransfers } from "./testing/transfers.ts";

type Line = Record<string, unknown>;

async function lines(path: string): Promise<Line[]> {
  const text = await readFile(path, "utf8");
  assert.ok(text.endsWith("\n"));
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

/** An instruction that ran out of gas shows what it took, geth what it would have cost. */
const withoutLastCost = ({ gasCost, ...line }: Line): Line =>
  String(line.error).startsWith("out of gas") ? line : { gasCost, ...line };

describe("standard traces as geth's", { skip: skipWithoutGeth, timeout: 120_000 }, () => {
  let peers: TracePeers;
  before(async () => {
    peers = await startTracePeers();
  });
  after(() => peers?.close());

  const blockOf = async (peer: Peer, hash: Hex | undefined): Promise<Hex> =>
    ((await peer.ask("eth_getTransactionByHash", hash)) as { blockHash: Hex }).blockHash;

  async function tracedLines(peer: Peer, hash: Hex | undefined, options: object): Promise<Line[]> {
    const files = (await peer.ask("debug_standardTraceBlockToFile", await blockOf(peer, hash), options)) as string[];
    assert.equal(files.length, 1, JSON.stringify(files));
    assert.match(basename(files[0] ?? ""), /^block_0x[0-9a-f]{8}-0-0x[0-9a-f]{8}-[0-9]+$/);
    return lines(files[0] ?? "");
  }

  it("line by line", async () => {
    const { ours, theirs, our, their } = peers;
    for (const options of [{}, { enableMemory: true, enableReturnData: true }, { disableStack: true }]) {
      for (const name of our.keys()) {
        const [mine, wanted] = await Promise.all([
          tracedLines(ours, our.get(name), options),
          tracedLines(theirs, their.get(name), options),
        ]);
        assert.deepEqual(mine.map(withoutLastCost), wanted.map(withoutLastCost), `${name} ${JSON.stringify(options)}`);
      }
    }
  });

  it("what is not there", async () => {
    const { ours, theirs, our } = peers;
    const [block, unknown] = [await blockOf(ours, our.get("grow")), `0x${"0e".repeat(32)}`];
    const genesis = ((await ours.ask("eth_getBlockByNumber", "0x0", false)) as { hash: Hex }).hash;
    const theirGenesis = ((await theirs.ask("eth_getBlockByNumber", "0x0", false)) as { hash: Hex }).hash;
    assert.deepEqual(
      await ours.ask("debug_standardTraceBlockToFile", unknown),
      await theirs.ask("debug_standardTraceBlockToFile", unknown),
    );
    assert.deepEqual(
      await ours.ask("debug_standardTraceBlockToFile", genesis),
      await theirs.ask("debug_standardTraceBlockToFile", theirGenesis),
    );
    const answer = (await ours.ask("debug_standardTraceBlockToFile", block, { txHash: unknown })) as object;
    assert.deepEqual(answer, { error: { code: -32000, message: `transaction ${unknown} not found in block` } });
    assert.deepEqual(
      await ours.ask("debug_standardTraceBadBlockToFile", unknown),
      await theirs.ask("debug_standardTraceBadBlockToFile", unknown),
    );
  });
});

test("one transaction of many; nobody but the operator", async () => {
  const node: LiveNode = await startLiveNode({ automine: false });
  try {
    const hashes = await sendTransfers(node, 3);
    await node.produce();
    const { hash } = (await node.rpc("eth_getBlockByNumber", "0x1", false)).result as { hash: Hex };
    const { result } = await node.asOperator("debug_standardTraceBlockToFile", hash, { txHash: hashes[1] });
    const [file = "", ...others] = result as string[];
    assert.deepEqual(others, []);
    assert.match(basename(file), /^block_0x[0-9a-f]{8}-1-/);
    assert.deepEqual(await lines(file), [{ output: "", gasUsed: "0x0" }]);
    const all = (await node.asOperator("debug_standardTraceBlockToFile", hash)).result as string[];
    assert.equal(all.length, 3);
    assert.equal((await readdir(dirname(file))).length, 4);
    assert.equal((await node.rpc("debug_standardTraceBlockToFile", hash)).error?.code, 4100);
    assert.deepEqual(node.faults, []);
  } finally {
    await node.close();
  }
});
