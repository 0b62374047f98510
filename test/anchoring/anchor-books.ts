/**
 * What must hold of anchors after any crash, looked at from outside: the store's rows, the node's chain, and every byte
 * string that was ever handed to the node.
 */
import assert from "node:assert/strict";
import {
  type BitcoinTransaction,
  displayHash,
  equalBytes,
  opReturnData,
  parseBlock,
  parseTransaction,
  transactionId,
} from "@cairn/bitcoin";
import type { BitcoinRpc } from "@cairn/bitcoin-node";
import { hexToBytes } from "@cairn/primitives";
import { anchorCommitment, anchorHeader, anchorLeaf, merkleRoot, parseOpReturnData, verifyPath } from "@cairn/proofs";
import type { Anchor, Batch, Store } from "../../packages/aggregator/src/index.ts";

/** Everything of one moment. */
export interface AnchorBooks {
  readonly anchors: readonly Anchor[];
  readonly batches: readonly Batch[];
}

const outpoint = ({ txid, vout }: { readonly txid: string; readonly vout: number }): string => `${txid}:${vout}`;

const firstInput = ({ inputs: [input] }: BitcoinTransaction): string =>
  input === undefined ? "none" : `${displayHash(input.txid)}:${input.vout}`;

/** All anchors and batches of a store, the oldest first. */
export async function readBooks(store: Store): Promise<AnchorBooks> {
  const anchors = await store.anchors({ limit: 1_000 });
  const batches = await store.batches({ limit: 1_000 });
  return { anchors: anchors.toReversed(), batches: batches.toReversed() };
}

/** Each batch is in one anchor, which commits to exactly its batches; each anchor spends its predecessor's change. */
export async function checkAnchors(store: Store): Promise<void> {
  const { anchors } = await readBooks(store);
  const anchored: number[] = [];
  for (const [index, anchor] of anchors.entries()) {
    assert.equal(anchor.sequence, index + 1, "sequences have no gap");
    const own = await store.anchorBatches(anchor.sequence);
    anchored.push(...own.map(({ number }) => number));
    const leaves = own.map((batch) => anchorLeaf(hexToBytes(batch.settlement?.commitment ?? "0x")));
    const header = anchorHeader({ sequence: BigInt(anchor.sequence), size: leaves.length, root: merkleRoot(leaves) });
    assert.deepEqual(anchorCommitment(header), hexToBytes(anchor.commitment));
    const before = anchors[index - 1];
    if (before?.mined !== undefined && anchor.mined !== undefined) {
      assert.equal(outpoint(anchor.input), outpoint(before.change), "the chain of anchors");
    }
  }
  assert.equal(new Set(anchored).size, anchored.length, "a batch is anchored once");
}

/**
 * What was handed to the node: its bytes are in the store, and of the transactions for one root at most one can ever
 * confirm, since all spend the same outpoint (or the change of variants that do).
 */
export async function checkSent(store: Store, sent: ReadonlySet<string>): Promise<void> {
  const { anchors } = await readBooks(store);
  const owners = new Map(anchors.flatMap(({ sequence, variants }) => variants.map(({ txid }) => [txid, sequence])));
  const inputs = new Map<string, Set<string>>();
  for (const raw of sent) {
    const tx = parseTransaction(Buffer.from(raw, "hex"));
    const txid = displayHash(transactionId(tx));
    const data = tx.outputs.map(({ scriptPubKey }) => opReturnData(scriptPubKey)).find((found) => found !== undefined);
    const parsed = parseOpReturnData(data ?? new Uint8Array());
    const anchor = anchors.find(
      ({ commitment }) => parsed !== undefined && equalBytes(hexToBytes(commitment), parsed.commitment),
    );
    assert.ok(anchor !== undefined && owners.get(txid) === anchor.sequence, `${txid} was sent and is not in the store`);
    const known = inputs.get(anchor.commitment) ?? new Set();
    inputs.set(anchor.commitment, known.add(firstInput(tx)));
  }
  for (const spent of inputs.values()) {
    if (spent.size === 1) continue;
    const parents = new Set([...spent].map((coin) => owners.get(coin.split(":")[0] ?? "")));
    assert.equal(parents.size, 1, "variants of one root spend one outpoint, or changes of one anchor's variants");
    assert.ok(!parents.has(undefined));
  }
}

/**
 * Every anchored batch has its receipts' part, which leads from its commitment to the root; with a node, also to the
 * transaction in its best chain. The number of parts.
 */
export async function checkReceipts(store: Store, rpc?: BitcoinRpc): Promise<number> {
  let found = 0;
  for (const batch of (await readBooks(store)).batches) {
    const part = await store.receiptAnchor(batch.number);
    const isThere = batch.state === "anchored" || batch.state === "final";
    assert.equal(part !== undefined, isThere, `batch ${batch.number} is ${batch.state}`);
    if (part === undefined) continue;
    found += 1;
    const leaf = anchorLeaf(hexToBytes(batch.settlement?.commitment ?? "0x"));
    const { index, size, path, root } = part;
    assert.ok(verifyPath({ leaf, index, size, path: path.map(hexToBytes), root: hexToBytes(root) }));
    if (rpc === undefined) continue;
    const block = await rpc.getBlock((await rpc.getBlockHash(part.height)) ?? "");
    const txids = parseBlock(block ?? new Uint8Array()).transactions.map((tx) => displayHash(transactionId(tx)));
    const txid = displayHash(transactionId(parseTransaction(Buffer.from(part.raw_tx, "hex"))));
    assert.ok(txids.includes(txid), `the anchor of batch ${batch.number} is in block ${part.height}`);
  }
  return found;
}

/** Coins of a script that the best chain leaves unspent, in satoshi. */
export async function unspentOf(rpc: BitcoinRpc, script: Uint8Array): Promise<number> {
  const coins = new Map<string, number>();
  const tip = await rpc.getBlockCount();
  for (let height = 1; height <= tip; height += 1) {
    const block = await rpc.getBlock((await rpc.getBlockHash(height)) ?? "");
    for (const tx of parseBlock(block ?? new Uint8Array()).transactions) {
      const txid = displayHash(transactionId(tx));
      for (const input of tx.inputs) coins.delete(`${displayHash(input.txid)}:${input.vout}`);
      for (const [vout, output] of tx.outputs.entries()) {
        if (equalBytes(output.scriptPubKey, script)) coins.set(`${txid}:${vout}`, Number(output.valueSat));
      }
    }
  }
  return [...coins.values()].reduce((sum, value) => sum + value, 0);
}
