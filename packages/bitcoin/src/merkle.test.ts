import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  type BitcoinTransaction,
  checkInclusion,
  coinbaseHeightPush,
  decodeHex,
  foldBranch,
  hasDuplicatePair,
  merkleBranch,
  merkleRoot,
  parseDisplayHash,
  serializeStripped,
  txid,
} from "./index.ts";

const sha256 = (data: Uint8Array): Buffer => createHash("sha256").update(data).digest();
const dsha = (...parts: Uint8Array[]): Buffer => sha256(sha256(Buffer.concat(parts)));

/** Bitcoin's tree, written down recursively: another shape than the code's. */
function oracle(level: readonly Uint8Array[]): Uint8Array {
  const [only, ...rest] = level;
  if (only === undefined) throw new RangeError("none");
  if (rest.length === 0) return only;
  const even = level.length % 2 === 0 ? level : [...level, level[level.length - 1] ?? only];
  const above: Uint8Array[] = [];
  for (let i = 0; i < even.length; i += 2) above.push(dsha(even[i] ?? only, even[i + 1] ?? only));
  return oracle(above);
}

const idsOf = (count: number): Uint8Array[] =>
  Array.from({ length: count }, (_, i) => new Uint8Array(dsha(Uint8Array.of(i))));
const place = fc.integer({ min: 1, max: 40 }).chain((count) => fc.tuple(fc.constant(count), fc.nat(count - 1)));

describe("Merkle tree", () => {
  it("has the root of mainnet's block 170", () => {
    const ids = [
      "b1fea52486ce0c62bb442b530a3f0132b826c74e473d1f2c220bfa78111c5082",
      "f4184fc596403b9d638783cf57adfe4c75c605f6356fbc91338530e9831e9e16",
    ].map(parseDisplayHash);
    const root = parseDisplayHash("7dac2c5666815c17a3b36427de37bb9d2e2c5ccec3f8633eb91a4205cb4c10ff");
    assert.deepEqual(merkleRoot(ids), root);
  });

  it("agrees with another implementation, and branches fold to it", () => {
    fc.assert(
      fc.property(place, ([count, index]) => {
        const ids = idsOf(count);
        const root = merkleRoot(ids);
        assert.deepEqual(Buffer.from(root), Buffer.from(oracle(ids)));
        assert.deepEqual(foldBranch(ids[index] ?? root, index, merkleBranch(ids, index)), root);
      }),
    );
  });

  it("refuses an index that aliases, and branches too deep", () => {
    const ids = idsOf(5);
    const id = ids[4] ?? new Uint8Array();
    const branch = merkleBranch(ids, 4);
    for (const index of [5, 6, 7, 4 + 8, -1, 0.5, 2 ** 31])
      assert.notDeepEqual(foldBranch(id, index, branch), merkleRoot(ids));
    assert.equal(foldBranch(id, 5, branch), undefined, "the copy of the last transaction");
    assert.equal(
      foldBranch(
        id,
        0,
        Array.from({ length: 18 }, () => id),
      ),
      undefined,
    );
  });

  it("sees duplicated tails (CVE-2012-2459)", () => {
    const ids = idsOf(6);
    const longer = [...ids, ...ids.slice(4)];
    assert.deepEqual(merkleRoot(longer), merkleRoot(ids));
    assert.ok(!hasDuplicatePair(ids));
    assert.ok(hasDuplicatePair(longer));
    const copy = ids[4] ?? new Uint8Array();
    const branch = merkleBranch(longer, 6);
    assert.deepEqual(foldBranch(copy, 4, merkleBranch(ids, 4)), merkleRoot(ids));
    assert.equal(foldBranch(copy, 6, branch), undefined, "a copied pair is no second place");
  });

  it("a node that was last stays last", () => {
    const ids = idsOf(3);
    const last = ids[2] ?? new Uint8Array();
    const forged = [last, ids[0] ?? last, ids[1] ?? last];
    assert.equal(foldBranch(last, 0, forged), undefined);
  });
});

describe("inclusion", () => {
  const input = { scriptSig: new Uint8Array(), sequence: 0, witness: [] };
  const output = { valueSat: 1n, scriptPubKey: decodeHex("6a") };
  const coinbase: BitcoinTransaction = {
    version: 2,
    inputs: [
      { ...input, txid: new Uint8Array(32), vout: 0xffffffff, scriptSig: Uint8Array.of(...coinbaseHeightPush(9), 0) },
    ],
    outputs: [output],
    lockTime: 0,
  };
  const payment: BitcoinTransaction = {
    version: 2,
    inputs: [{ ...input, txid: new Uint8Array(32).fill(1), vout: 0 }],
    outputs: [output, output],
    lockTime: 0,
  };
  const [coinbaseTx, rawTx] = [coinbase, payment].map(serializeStripped) as [Uint8Array, Uint8Array];
  const ids = [txid(coinbaseTx), ...idsOf(3), txid(rawTx)];
  const proof = { rawTx, txIndex: 4, branch: merkleBranch(ids, 4), coinbaseTx, coinbaseBranch: merkleBranch(ids, 0) };
  const root = merkleRoot(ids);
  const fault = (change: Partial<typeof proof>, of: Uint8Array = root): string => {
    const outcome = checkInclusion({ ...proof, ...change }, of);
    return outcome.ok ? "none" : outcome.code;
  };

  it("holds for a transaction of the block", () => assert.equal(fault({}), "none"));

  it("names what is wrong", () => {
    assert.equal(fault({}, new Uint8Array(32)), "root-differs");
    assert.equal(fault({ txIndex: 3 }), "false-branch");
    assert.equal(fault({ txIndex: 5 }), "false-branch");
    assert.equal(fault({ txIndex: 0 }), "coinbase-position");
    assert.equal(fault({ branch: proof.branch.slice(1) }), "depth-differs");
    assert.equal(fault({ coinbaseBranch: proof.coinbaseBranch.slice(1) }), "depth-differs");
    assert.equal(fault({ coinbaseTx: rawTx }), "root-differs");
  });

  it("takes no 64-byte transaction for one (CVE-2017-12842)", () => {
    const node = new Uint8Array(64);
    assert.equal(fault({ rawTx: node }), "64-byte-transaction");
    assert.equal(fault({ coinbaseTx: node }), "64-byte-transaction");
  });

  it("takes no other first transaction for a coinbase", () => {
    const others = [txid(rawTx), ...idsOf(4)];
    const first = { coinbaseTx: rawTx, coinbaseBranch: merkleBranch(others, 0) };
    assert.equal(
      fault({ ...first, rawTx: coinbaseTx, branch: merkleBranch(others, 1), txIndex: 1 }, merkleRoot(others)),
      "root-differs",
    );
    const three = [...others.slice(0, 2), txid(coinbaseTx)];
    const second = { rawTx: coinbaseTx, branch: merkleBranch(three, 2), txIndex: 2 };
    const changed = { ...second, coinbaseTx: rawTx, coinbaseBranch: merkleBranch(three, 0) };
    assert.equal(fault(changed, merkleRoot(three)), "not-coinbase");
  });
});
