/** Parity's traces and Otterscan's answers beside anvil's, after the same transactions. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { getContractAddress, type Hex } from "viem";
import { findAnvil, startAnvil } from "./testing/anvil-node.ts";
import type { GethNode } from "./testing/geth-node.ts";
import { type LiveNode, startLiveNode } from "./testing/live-node.ts";
import { alice, type Peer, peerOf, play, tree } from "./testing/trace-peers.ts";

const binary = findAnvil();
const skip = binary === undefined ? "no anvil for this machine" : false;
const leaf = getContractAddress({ from: tree, nonce: 1n });
type Members = Record<string, unknown>;

describe("traces and searches as anvil's", { skip, timeout: 120_000 }, () => {
  let node: LiveNode;
  let anvil: GethNode;
  let ours: Peer;
  let theirs: Peer;
  let hashes: ReadonlyMap<string, Hex>;

  before(async () => {
    node = await startLiveNode();
    anvil = await startAnvil(binary ?? "");
    [ours, theirs] = [peerOf(node), peerOf(anvil)];
    const [own, others] = await Promise.all([play(ours), play(theirs)]);
    assert.deepEqual(own, others);
    hashes = own;
  });
  after(async () => {
    await node?.close();
    await anvil?.close();
  });

  const both = (method: string, ...params: unknown[]) =>
    Promise.all([ours.ask(method, ...params), theirs.ask(method, ...params)]);
  const withoutBlockHash = (traces: unknown): unknown => (traces as Members[]).map(({ blockHash, ...item }) => item);

  it("trace_transaction, trace_block, trace_filter", async () => {
    for (const [name, hash] of hashes) {
      const [mine, wanted] = await both("trace_transaction", hash);
      assert.deepEqual(withoutBlockHash(mine), withoutBlockHash(wanted), name);
    }
    const [mine, wanted] = await both("trace_block", "0x3");
    assert.deepEqual(withoutBlockHash(mine), withoutBlockHash(wanted));
    for (const filter of [
      { fromBlock: "0x1", toBlock: "0x9" },
      { fromBlock: "0x1", toBlock: "0x9", toAddress: [leaf] },
      { fromBlock: "0x2", toBlock: "0x6", fromAddress: [tree], after: 1, count: 3 },
    ]) {
      const [found, expected] = await both("trace_filter", filter);
      assert.deepEqual(withoutBlockHash(found), withoutBlockHash(expected), JSON.stringify(filter));
    }
  });

  it("trace_replayBlockTransactions", async () => {
    for (const types of [["trace"], ["stateDiff"], ["vmTrace"], ["trace", "vmTrace", "stateDiff"]]) {
      const [mine, wanted] = (await both("trace_replayBlockTransactions", "0x4", types)) as Members[][];
      const names = ({ trace, vmTrace, stateDiff, output }: Members) => ({ trace, output, vmTrace, stateDiff });
      const comparable = (entries: Members[] | undefined) =>
        entries?.map(names).map(({ stateDiff, ...rest }) => ({ ...rest, touched: stateDiff === null }));
      assert.deepEqual(comparable(mine), comparable(wanted), types.join());
    }
  });

  it("ots_searchTransactionsBefore and After", async () => {
    const pageOf = (answer: unknown) => {
      const { txs, receipts, ...ends } = answer as { txs: { hash: Hex }[]; receipts: { transactionHash: Hex }[] };
      const listed = txs.map(({ hash }) => hash);
      assert.deepEqual(
        receipts.map(({ transactionHash }) => transactionHash),
        listed,
      );
      return { listed, ends };
    };
    for (const address of [alice.address, tree, leaf, `0x${"12".repeat(20)}`]) {
      for (const method of ["ots_searchTransactionsBefore", "ots_searchTransactionsAfter"]) {
        for (const block of [0, 4, 9]) {
          for (const size of [2, 25]) {
            const [mine, wanted] = await both(method, address, block, size);
            const label = `${method} ${address} ${block} ${size}`;
            assert.deepEqual(pageOf(mine).listed, pageOf(wanted).listed, label);
          }
        }
      }
    }
  });

  it("Otterscan's traces", async () => {
    for (const [name, hash] of hashes) {
      const [mine, wanted] = await both("ots_getTransactionError", hash);
      assert.deepEqual(mine, wanted, name);
      const [own, others] = (await both("ots_getInternalOperations", hash)) as Members[][];
      // What the transaction itself moves or creates is none within it.
      const isOwn = ["deploy", "transfer", "grow", "make"].includes(name);
      const within = isOwn ? others?.slice(1) : others;
      // A creation that failed made nothing; anvil names the address it would have had.
      assert.deepEqual(own, name === "underflow" ? within?.map((item) => ({ ...item, to: null })) : within, name);
    }
    for (const nonce of [0, 3, 99]) {
      const [mine, wanted] = await both("ots_getTransactionBySenderAndNonce", alice.address, nonce);
      assert.deepEqual(mine, wanted);
    }
    const [mine, wanted] = await both("ots_getContractCreator", tree);
    assert.deepEqual(mine, wanted);
  });
});
