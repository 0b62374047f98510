import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  type Block,
  type BlockId,
  base64ToBytes,
  blockFromJson,
  blockToJson,
  bytesToBase64,
  CometError,
  type Commit,
  commitFromJson,
  compareTimestamps,
  dataSize,
  decodeBlock,
  encodeBlock,
  type Header,
  headerFromJson,
  headerToJson,
  makePartSet,
  merkleProof,
  merkleProofRoot,
  merkleRoot,
  orderValidators,
  parseRfc3339,
  timestampToRfc3339,
  validatorsFromJson,
  ZERO_TIME,
} from "./index.ts";

/** Plain objects, so that strict equality with decoded ones holds. */
const record = <T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> =>
  fc.record(model, { noNullPrototype: true });
const time = record({ seconds: fc.bigInt(-62135596800n, 253402300799n), nanos: fc.nat(999_999_999) });
const hash = fc.oneof(fc.constant(new Uint8Array(0)), fc.uint8Array({ minLength: 32, maxLength: 32 }));
const address = fc.uint8Array({ minLength: 20, maxLength: 20 });
const int64 = fc.bigInt(-(1n << 63n), (1n << 63n) - 1n);
const blockId: fc.Arbitrary<BlockId> = record({ hash, parts: record({ total: fc.nat(0xffffffff), hash }) });
const version = record({ block: fc.bigInt(0n, 1n << 40n), app: fc.bigInt(0n, 1n << 40n) });
const header: fc.Arbitrary<Header> = record({
  version,
  chainId: fc.string({ maxLength: 20, unit: "grapheme-ascii" }),
  height: int64,
  time,
  lastBlockId: blockId,
  lastCommitHash: hash,
  dataHash: hash,
  validatorsHash: hash,
  nextValidatorsHash: hash,
  consensusHash: hash,
  appHash: fc.uint8Array({ maxLength: 40 }),
  lastResultsHash: hash,
  evidenceHash: hash,
  proposerAddress: address,
});
const empty = new Uint8Array(0);
const commitSig = fc.oneof(
  fc.constant({ blockIdFlag: 1, validatorAddress: empty, timestamp: ZERO_TIME, signature: empty } as const),
  record({
    blockIdFlag: fc.constantFrom(2 as const, 3 as const),
    validatorAddress: address,
    timestamp: time,
    signature: fc.uint8Array({ minLength: 64, maxLength: 64 }),
  }),
);
const commit: fc.Arbitrary<Commit> = record({
  height: int64,
  round: fc.nat(0x7fffffff),
  blockId,
  signatures: fc.array(commitSig, { maxLength: 4 }),
});
const vote = record({
  type: fc.constantFrom(1 as const, 2 as const),
  height: int64,
  round: fc.nat(0x7fffffff),
  blockId,
  timestamp: time,
  validatorAddress: address,
  validatorIndex: fc.nat(0x7fffffff),
  signature: fc.uint8Array({ maxLength: 64 }),
  extension: fc.uint8Array({ maxLength: 8 }),
  extensionSignature: fc.uint8Array({ maxLength: 64 }),
});
const evidence = record({
  kind: fc.constant("duplicate-vote" as const),
  voteA: vote,
  voteB: vote,
  totalVotingPower: int64,
  validatorPower: int64,
  timestamp: time,
});
const block: fc.Arbitrary<Block> = record({
  header,
  txs: fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 5 }),
  evidence: fc.array(evidence, { maxLength: 2 }),
  lastCommit: commit,
});

function throwsCode(code: string, run: () => unknown): void {
  assert.throws(run, (error) => error instanceof CometError && error.code === code);
}

describe("block bytes", () => {
  it("decode to the block they encode", () => {
    fc.assert(fc.property(block, (value) => assert.deepEqual(decodeBlock(encodeBlock(value)), value)));
  });

  it("are canonical: a changed byte is refused or means another block with those very bytes", () => {
    fc.assert(
      fc.property(block, fc.nat(), fc.integer({ min: 1, max: 255 }), (value, at, change) => {
        const bytes = encodeBlock(value);
        const index = at % bytes.length;
        bytes[index] = (bytes[index] ?? 0) ^ change;
        let decoded: Block;
        try {
          decoded = decodeBlock(bytes);
        } catch (error) {
          assert.ok(error instanceof CometError && error.code === "invalid-encoding");
          return;
        }
        assert.deepEqual(Buffer.from(encodeBlock(decoded)), Buffer.from(bytes));
      }),
      { numRuns: 500 },
    );
  });

  it("refuse truncation, trailing bytes and random bytes", () => {
    fc.assert(
      fc.property(block, fc.uint8Array({ minLength: 1, maxLength: 40 }), (value, noise) => {
        const bytes = encodeBlock(value);
        throwsCode("invalid-encoding", () => decodeBlock(bytes.subarray(0, bytes.length - 1)));
        throwsCode("invalid-encoding", () => decodeBlock(Uint8Array.of(...bytes, 0)));
        throwsCode("invalid-encoding", () => decodeBlock(noise));
      }),
    );
  });

  it("take up what dataSize says for the transactions", () => {
    fc.assert(
      fc.property(block, (value) => {
        const without = encodeBlock({ ...value, txs: [] }).length;
        const grown = encodeBlock(value).length - without;
        const lengthOfLength = (n: number): number => (n < 128 ? 1 : n < 16384 ? 2 : 3);
        const size = dataSize(value.txs);
        assert.equal(grown, size + lengthOfLength(size) - 1);
      }),
    );
  });
});

describe("JSON", () => {
  it("of blocks reads back to the block", () => {
    fc.assert(
      fc.property(block, (value) => {
        assert.deepEqual(blockFromJson(JSON.parse(JSON.stringify(blockToJson(value)))), value);
      }),
    );
  });

  it("has one spelling per header", () => {
    fc.assert(
      fc.property(header, (value) => {
        const json: Record<string, unknown> = JSON.parse(JSON.stringify(headerToJson(value)));
        throwsCode("invalid-json", () => headerFromJson({ ...json, extra: 1 }));
        throwsCode("invalid-json", () => headerFromJson({ ...json, height: `0${json.height}` }));
        throwsCode("invalid-json", () => headerFromJson({ ...json, height: Number(json.height) }));
        throwsCode("invalid-json", () => headerFromJson({ ...json, proposer_address: "ab".repeat(20) }));
        throwsCode("invalid-json", () => headerFromJson({ ...json, time: String(json.time).replace("Z", "0Z") }));
        const { chain_id: _, ...missing } = json;
        throwsCode("invalid-json", () => headerFromJson(missing));
      }),
    );
  });

  it("refuses values of other types everywhere", () => {
    for (const value of [null, undefined, 1, "x", [], true, {}]) {
      throwsCode("invalid-json", () => headerFromJson(value));
      throwsCode("invalid-json", () => commitFromJson(value));
      throwsCode("invalid-json", () => blockFromJson(value));
    }
    for (const value of [null, 1, "x", {}, [1], [{}]]) throwsCode("invalid-json", () => validatorsFromJson(value));
  });
});

describe("text forms", () => {
  it("base64 is the platform's, and strict", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 70 }), (bytes) => {
        const text = bytesToBase64(bytes);
        assert.equal(text, Buffer.from(bytes).toString("base64"));
        assert.deepEqual(base64ToBytes(text), bytes);
      }),
    );
    for (const text of ["AA", "AA=", "AB==", "A===", "AAA-", "AA==AA==", "AAB="]) {
      throwsCode("invalid-json", () => base64ToBytes(text));
    }
  });

  it("times print and parse, in order", () => {
    fc.assert(
      fc.property(time, time, (a, b) => {
        assert.deepEqual(parseRfc3339(timestampToRfc3339(a)), a);
        const order = Math.sign(Number(a.seconds - b.seconds)) || Math.sign(a.nanos - b.nanos);
        assert.equal(Math.sign(compareTimestamps(a, b)), order);
      }),
    );
    assert.equal(timestampToRfc3339(ZERO_TIME), "0001-01-01T00:00:00Z");
    for (const text of ["2026-02-30T00:00:00Z", "2026-01-01T00:00:00.10Z", "2026-01-01T00:00:00+00:00", "", "now"]) {
      throwsCode("invalid-json", () => parseRfc3339(text));
    }
  });
});

describe("merkle tree", () => {
  const leaves = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 20 });

  it("proves each leaf and no other", () => {
    fc.assert(
      fc.property(leaves, (list) => {
        const root = merkleRoot(list);
        for (const index of list.keys()) {
          const proof = merkleProof(list, index);
          assert.deepEqual(merkleProofRoot(proof), root);
          assert.notDeepEqual(merkleProofRoot({ ...proof, leafHash: new Uint8Array(32) }), root);
          if (proof.aunts.length > 0) assert.equal(merkleProofRoot({ ...proof, aunts: [] }), undefined);
          assert.equal(merkleProofRoot({ ...proof, index: proof.total }), undefined);
        }
      }),
    );
  });

  it("of nothing is SHA-256 of nothing; parts are 64 KiB", () => {
    assert.equal(Buffer.from(merkleRoot([])).toString("hex"), createHash("sha256").digest("hex"));
    throwsCode("invalid-value", () => merkleProof([], 0));
    const { header: parts, parts: pieces } = makePartSet(new Uint8Array(65_537));
    assert.equal(parts.total, 2);
    assert.deepEqual(
      pieces.map((piece) => piece.length),
      [65_536, 1],
    );
  });

  it("orders validators by power, then address", () => {
    const make = (first: number, power: bigint) => ({
      address: new Uint8Array(20).fill(first),
      pubKey: { type: "ed25519", bytes: new Uint8Array(32) } as const,
      power,
      proposerPriority: 0n,
    });
    const ordered = orderValidators([make(2, 1n), make(9, 5n), make(1, 1n)]);
    assert.deepEqual(
      ordered.map((v) => v.address[0]),
      [9, 1, 2],
    );
  });
});
