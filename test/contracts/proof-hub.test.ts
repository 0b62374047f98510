/** `ProofHub` on a real chain with the real precompile: what it settles, refuses, excludes and proves. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { decodeBatchSettled, encodeIsSettledCall, encodeSettleCall, ProofHub } from "@cairn/contracts";
import { bytesToHex, type Hex, hexToBytes, sha256 } from "@cairn/primitives";
import {
  batchCommitment,
  batchHeader,
  decodeVerifyProofsInput,
  encodeVerifyProofsInput,
  excludedLeaf,
  leafHash,
  leafPreimage,
  merklePath,
  merkleRoot,
  parseRecordV1,
  publicInputsHash,
  type VerifySlot,
  vkHash,
} from "@cairn/proofs";
import { type Abi, decodeErrorResult, decodeFunctionResult, encodeFunctionData } from "viem";
import { slot } from "./batch-slots.ts";
import { CHAIN_ID, type HubChain, openHubChain, sender } from "./hub-chain.ts";

const abi = ProofHub.abi as Abi;
const [alice, bob] = [sender(0), sender(1)];
const vectorFile = new URL("../vectors/verify-proofs/valid-false-commitment.json", import.meta.url);
const vector: { input: Hex; output: Hex; leaves: Hex[]; gas: number } = JSON.parse(readFileSync(vectorFile, "utf8"));

let chain: HubChain;
before(async () => {
  chain = await openHubChain([]);
});
after(() => chain.close());

const zeros = new Uint8Array(32);

function leafOf({ proof, record }: VerifySlot): Uint8Array {
  return leafHash(leafPreimage(sha256(proof), record));
}

function encode(slots: readonly VerifySlot[]): Uint8Array {
  return encodeVerifyProofsInput({ keys: [], payerCount: 0, slots });
}

async function settle(number: bigint, batch: Uint8Array, from = alice) {
  const { tx, logs } = await chain.send(from, ProofHub.address, bytesToHex(encodeSettleCall(number, batch, [])));
  const [log] = logs;
  const event = log === undefined ? undefined : decodeBatchSettled(log);
  assert.ok(tx.success && event !== undefined, "the batch is settled");
  return { event, gasUsed: tx.gasUsed };
}

async function errorOf(data: Uint8Array, from = alice): Promise<string> {
  const outcome = await chain.call(from, ProofHub.address, bytesToHex(data));
  assert.equal(outcome.ok, false);
  const { errorName, args } = decodeErrorResult({ abi, data: outcome.data });
  return [errorName, ...(args ?? [])].join(" ");
}

async function holds(args: readonly unknown[]): Promise<boolean> {
  const data = encodeFunctionData({ abi, functionName: "verifyInclusion", args });
  const outcome = await chain.call(bob, ProofHub.address, data);
  assert.ok(outcome.ok);
  return decodeFunctionResult({ abi, functionName: "verifyInclusion", data: outcome.data }) === true;
}

test("the published input is what the encoder writes, its hashes what the library computes", () => {
  const input = decodeVerifyProofsInput(hexToBytes(vector.input));
  assert.equal(bytesToHex(encodeVerifyProofsInput(input)), vector.input);
  const canonicalKey = input.keys[0]?.key ?? zeros;
  const record = parseRecordV1(input.slots[0]?.record ?? zeros);
  const inputs = input.slots[0]?.publicInputs ?? zeros;
  assert.deepEqual(record.vkHash, vkHash({ system: "groth16", curve: "bn254", canonicalKey }));
  assert.deepEqual(record.publicInputsHash, publicInputsHash(inputs));
});

test("a batch with a false proof is settled, that slot excluded", async () => {
  const { event } = await settle(1n, hexToBytes(vector.input));
  const root = merkleRoot(vector.leaves.map((leaf) => hexToBytes(leaf)));
  assert.equal(event.root, vector.output.slice(0, 66));
  assert.equal(event.root, bytesToHex(root));
  const header = batchHeader({
    chainId: BigInt(CHAIN_ID),
    submitter: hexToBytes(alice.address),
    number: 1n,
    size: 3,
    root,
    previous: zeros,
  });
  assert.equal(event.commitment, bytesToHex(batchCommitment(header)));
  assert.equal(event.submitter, alice.address.toLowerCase());
  assert.deepEqual([event.number, event.size, event.verified, event.commitments], [1n, 3, 1, 1]);
  assert.deepEqual(event.excluded, Uint8Array.of(0b0100_0000));
  const asked = await chain.call(bob, ProofHub.address, bytesToHex(encodeIsSettledCall(event.commitment)));
  assert.equal(BigInt(asked.data), 1n);
  const other = bytesToHex(encodeIsSettledCall(bytesToHex(root)));
  assert.equal(BigInt((await chain.call(bob, ProofHub.address, other)).data), 0n);
});

test("each submitter has its own numbers and its own chain of headers", async () => {
  const first = await settle(2n, encode([slot(1)]));
  const second = await settle(3n, encode([slot(2)]));
  const previous = hexToBytes(first.event.commitment);
  const submitter = hexToBytes(alice.address);
  const root = leafOf(slot(2));
  const header = batchHeader({ chainId: BigInt(CHAIN_ID), submitter, number: 3n, size: 1, root, previous });
  assert.equal(second.event.commitment, bytesToHex(batchCommitment(header)));
  assert.deepEqual(second.event.excluded, new Uint8Array());
  assert.equal(await errorOf(encodeSettleCall(3n, encode([slot(3)]), [])), "WrongNumber 4 3");
  assert.equal(await errorOf(encodeSettleCall(4n, encode([slot(3)]), []), bob), "WrongNumber 1 4");
  const { event } = await settle(1n, encode([slot(1)]), bob);
  assert.equal(event.submitter, bob.address.toLowerCase());
});

test("a wrong number of payers and broken framing are refused by name, and nothing is settled", async () => {
  const good = encode([slot(1)]);
  assert.equal(await errorOf(encodeSettleCall(4n, good, [bob.address])), "WrongPayerCount 0 1");
  const paid = encodeVerifyProofsInput({ keys: [], payerCount: 1, slots: [slot(1)] });
  assert.equal(await errorOf(encodeSettleCall(4n, paid, [])), "WrongPayerCount 1 0");
  for (const broken of [new Uint8Array(), good.slice(0, -1), good.with(0, 2), good.with(8, 2), encode([])]) {
    assert.equal(await errorOf(encodeSettleCall(4n, broken, [])), "BatchRefused");
  }
  const lyingKey = hexToBytes(vector.input).with(4, 0xff);
  assert.equal(await errorOf(encodeSettleCall(4n, lyingKey, [])), "BatchRefused");
});

test("the excluded slots of a large batch are named, bit for bit", async () => {
  const bad = new Set([0, 7, 8, 130, 255, 256, 300, 520]);
  const slots = Array.from({ length: 521 }, (_, index) => slot(index, bad.has(index)));
  const { event } = await settle(4n, encode(slots));
  assert.deepEqual([event.size, event.verified, event.commitments], [521, 0, 521 - bad.size]);
  const named = Array.from({ length: event.excluded.length * 8 }, (_, index) => index).filter(
    (index) => ((event.excluded[index >> 3] ?? 0) >> (7 - (index & 7))) & 1,
  );
  assert.deepEqual(named, [...bad]);
  const leaves = slots.map((s, index) => (bad.has(index) ? excludedLeaf() : leafOf(s)));
  assert.equal(event.root, bytesToHex(merkleRoot(leaves)));
});

test("inclusion is proven for each leaf of trees of many sizes, and for nothing else", async () => {
  let previous = hexToBytes(await headOf());
  for (const [step, size] of [1, 2, 3, 5, 8, 13].entries()) {
    const number = 5n + BigInt(step);
    const slots = Array.from({ length: size }, (_, index) => slot(index));
    const leaves = slots.map(leafOf);
    const { event } = await settle(number, encode(slots));
    const root = hexToBytes(event.root);
    const fields = { chainId: BigInt(CHAIN_ID), submitter: hexToBytes(alice.address), number, size, root, previous };
    const header = bytesToHex(batchHeader(fields));
    for (const [index, leaf] of leaves.entries()) {
      const path = merklePath(leaves, index).map(bytesToHex);
      const args = [event.commitment, header, bytesToHex(leaf), index, path];
      assert.ok(await holds(args), `leaf ${index} of ${size}`);
      assert.equal(await holds(args.with(2, event.root)), size === 1, "another leaf");
      assert.ok(!(await holds(args.with(3, size))), "an index beyond the tree");
      assert.ok(!(await holds(args.with(4, [...path, event.root]))), "a path too long");
      if (size > 1) assert.ok(!(await holds(args.with(3, (index + 1) % size))), "another index");
      if (size > 1) assert.ok(!(await holds(args.with(4, path.slice(1)))), "a path too short");
    }
    const path = merklePath(leaves, 0).map(bytesToHex);
    const args: unknown[] = [event.commitment, header, bytesToHex(leaves[0] ?? zeros), 0, path];
    const other = header.replace(/.$/, (digit) => (digit === "0" ? "1" : "0"));
    assert.ok(!(await holds(args.with(1, `${header}00`))), "a longer header");
    assert.ok(!(await holds(args.with(1, other))), "another header");
    assert.ok(!(await holds(args.with(0, event.root))), "a commitment that was never settled");
    previous = hexToBytes(event.commitment);
  }
});

async function headOf(): Promise<Hex> {
  const data = encodeFunctionData({ abi, functionName: "headOf", args: [alice.address] });
  return (await chain.call(bob, ProofHub.address, data)).data;
}

test("the hub itself costs little beside verification: a full batch of 512 proofs", async () => {
  const { keys, slots } = decodeVerifyProofsInput(hexToBytes(vector.input));
  const [proof] = slots;
  assert.ok(proof);
  const full = Array.from({ length: 512 }, () => proof);
  const batch = encodeVerifyProofsInput({ keys, payerCount: 0, slots: full });
  const { event, gasUsed } = await settle(11n, batch);
  assert.equal(event.verified, 512);
  const precompile = 3_000 + 150_000 + 9_000 + 2 * batch.length + 512 * 64_000;
  const calldata = 16 * batch.length;
  const hub = Number(gasUsed) - precompile - calldata;
  assert.ok(hub < 600_000, `the hub takes ${hub} gas of ${gasUsed}, the batch has ${batch.length} bytes`);
});
