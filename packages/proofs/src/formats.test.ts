/** Our byte formats against vectors made by another implementation (test/vectors/formats), and the laws they obey. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { bytesToHex, hexToBytes, sha256 } from "@cairn/primitives";
import fc from "fast-check";
import {
  anchorCommitment,
  anchorHeader,
  anchorLeaf,
  batchCommitment,
  batchHeader,
  decodeVerifyProofsInput,
  encodeVerifyProofsInput,
  excludedLeaf,
  type LeafRecord,
  leafHash,
  leafPreimage,
  merklePath,
  merkleRoot,
  opReturnData,
  parseAnchorHeader,
  parseBatchHeader,
  parseOpReturnData,
  parseRecordV1,
  publicBytesHash,
  publicInputsHash,
  recordV1,
  statementHash,
  submissionId,
  type VerifyProofsInput,
  verifyPath,
  vkHash,
  WireError,
} from "./index.ts";

type Texts = Record<string, string>;

function vectors<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`../../../test/vectors/formats/${name}.json`, import.meta.url), "utf8"));
}

const bigOrNull = (text: string | null): bigint | null => (text === null ? null : BigInt(text));
const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 });
const u64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const u32 = fc.integer({ min: 0, max: 2 ** 32 - 1 });

describe("vectors", () => {
  type IdCase = Texts & { blockNumber: string | null };
  for (const item of vectors<IdCase[]>("submission-id")) {
    it(`submission id of ${item.chainId} ${item.blockNumber}`, () => {
      const { environment = "", account = "", chainId = "", source = "", proofData = "" } = item as Texts;
      const blockNumber = bigOrNull(item.blockNumber);
      const content = { environment, account, chainId, blockNumber, source };
      assert.equal(submissionId({ ...content, proofData }), item.id);
      assert.equal(submissionId({ ...content, proofData: new TextEncoder().encode(proofData) }), item.id);
    });
  }

  it("record, preimage, leaf", () => {
    const { excludedLeaf: excluded, cases } = vectors<{
      excludedLeaf: string;
      cases: (Texts & { kind: "proof" | "commitment"; blockNumber: string | null })[];
    }>("record");
    assert.equal(bytesToHex(excludedLeaf()), excluded);
    assert.equal(cases.length, 4);
    for (const item of cases) {
      const { system = "", curve = "", encoding = "", version = "", chainId = "" } = item as Texts;
      const names = { kind: item.kind, system, curve, encoding, version, chainId };
      const hashes = {
        vkHash: hexToBytes(item.vkHash ?? ""),
        publicInputsHash: hexToBytes(item.publicInputsHash ?? ""),
      };
      const blockNumber = bigOrNull(item.blockNumber);
      const record: LeafRecord = { ...names, ...hashes, blockNumber, salt: hexToBytes(item.salt ?? "") };
      const raw = recordV1(record);
      assert.equal(bytesToHex(raw), item.record);
      assert.deepEqual(parseRecordV1(raw), record);
      const preimage = leafPreimage(hexToBytes(item.proofHash ?? ""), raw);
      assert.equal(bytesToHex(preimage), item.preimage);
      assert.equal(bytesToHex(leafHash(preimage)), item.leaf);
    }
  });

  it("tree roots and paths", () => {
    const { cases } = vectors<{ cases: { size: number; root: string; paths: string[][] }[] }>("merkle-tree");
    for (const { size, root, paths } of cases) {
      const leaves = Array.from({ length: size }, (_, i) => leafHash(Uint8Array.of(i)));
      assert.equal(bytesToHex(merkleRoot(leaves)), root);
      for (const [index, path] of paths.entries()) assert.deepEqual(merklePath(leaves, index).map(bytesToHex), path);
    }
  });

  it("batch header", () => {
    for (const item of vectors<(Texts & { size: number })[]>("batch-header")) {
      const { chainId = "", submitter = "", number = "", root = "", previous = "" } = item as Texts;
      const header = {
        chainId: BigInt(chainId),
        submitter: hexToBytes(submitter),
        number: BigInt(number),
        size: item.size,
        root: hexToBytes(root),
        previous: hexToBytes(previous),
      };
      const raw = batchHeader(header);
      assert.equal(bytesToHex(raw), item.header);
      assert.deepEqual(parseBatchHeader(raw), header);
      assert.equal(bytesToHex(batchCommitment(raw)), item.commitment);
      assert.equal(bytesToHex(anchorLeaf(batchCommitment(raw))), item.anchorLeaf);
    }
  });

  it("anchor header and OP_RETURN data", () => {
    for (const item of vectors<(Texts & { size: number })[]>("anchor-header")) {
      const { sequence = "", root = "" } = item as Texts;
      const header = { sequence: BigInt(sequence), size: item.size, root: hexToBytes(root) };
      const raw = anchorHeader(header);
      const commitment = anchorCommitment(raw);
      assert.equal(bytesToHex(raw), item.header);
      assert.deepEqual(parseAnchorHeader(raw), header);
      assert.equal(bytesToHex(commitment), item.commitment);
      const data = opReturnData({ sequence: header.sequence, commitment });
      assert.equal(bytesToHex(data), item.opReturn);
      assert.deepEqual(parseOpReturnData(data), { sequenceLow: Number(header.sequence % 65536n), commitment });
    }
  });

  it("statement, key and input hashes", () => {
    const item = vectors<Texts>("statement");
    const { system = "", curve = "", version = "", canonicalKey = "", publicInputs = "", publicBytes = "" } = item;
    const vk = vkHash({ system, curve, canonicalKey: hexToBytes(canonicalKey) });
    const inputs = publicInputsHash(hexToBytes(publicInputs));
    assert.equal(bytesToHex(vk), item.vkHash);
    assert.equal(bytesToHex(inputs), item.publicInputsHash);
    assert.equal(bytesToHex(publicInputsHash(new Uint8Array())), item.noPublicInputsHash);
    assert.equal(bytesToHex(publicBytesHash(hexToBytes(publicBytes))), item.publicBytesHash);
    assert.equal(bytesToHex(statementHash({ system, version, vkHash: vk, publicInputsHash: inputs })), item.statement);
    assert.throws(() => publicInputsHash(new Uint8Array(33)), RangeError);
  });

  it("VerifyProofs input", () => {
    const item = vectors<{
      keys: { systemTag: number; key: string }[];
      payerCount: number;
      slots: (Texts & { kind: "proof" | "commitment"; keyIndex: number | null; payerIndex: number | null })[];
      input: string;
    }>("verify-proofs-input");
    const input: VerifyProofsInput = {
      keys: item.keys.map(({ systemTag, key }) => ({ systemTag, key: hexToBytes(key) })),
      payerCount: item.payerCount,
      slots: item.slots.map(({ kind, keyIndex, payerIndex, ...texts }) => {
        const { priceWei = "", proof = "", publicInputs = "", record = "" } = texts as Texts;
        const parts = { proof: hexToBytes(proof), publicInputs: hexToBytes(publicInputs), record: hexToBytes(record) };
        return { kind, keyIndex, payerIndex, priceWei: BigInt(priceWei), ...parts };
      }),
    };
    const raw = encodeVerifyProofsInput(input);
    assert.equal(bytesToHex(raw), item.input);
    assert.deepEqual(decodeVerifyProofsInput(raw), input);
    const slot = input.slots[0];
    assert.ok(slot !== undefined);
    const stray = { ...slot, keyIndex: 2 };
    assert.throws(() => encodeVerifyProofsInput({ ...input, slots: [stray] }), RangeError);
  });
});

describe("strict readers", () => {
  const record: LeafRecord = {
    kind: "proof",
    system: "groth16",
    curve: "bn254",
    encoding: "x",
    version: "1",
    vkHash: new Uint8Array(32),
    publicInputsHash: new Uint8Array(32),
    chainId: "1",
    blockNumber: 5n,
    salt: new Uint8Array(32),
  };
  const header = { chainId: 1n, submitter: new Uint8Array(20), number: 1n, size: 1, root: new Uint8Array(32) };
  const samples: [string, Uint8Array, (bytes: Uint8Array) => unknown][] = [
    ["record", recordV1(record), parseRecordV1],
    ["batch header", batchHeader({ ...header, previous: new Uint8Array(32) }), parseBatchHeader],
    ["anchor header", anchorHeader({ sequence: 1n, size: 1, root: new Uint8Array(32) }), parseAnchorHeader],
    ["OP_RETURN data", opReturnData({ sequence: 1n, commitment: new Uint8Array(32) }), parseOpReturnData],
    ["VerifyProofs input", encodeVerifyProofsInput({ keys: [], payerCount: 0, slots: [] }), decodeVerifyProofsInput],
  ];
  for (const [name, bytes, parse] of samples) {
    it(`${name}: every shorter, every longer and every other version is refused`, () => {
      for (let length = 0; length < bytes.length; length += 1) {
        assert.throws(() => parse(bytes.slice(0, length)), WireError);
      }
      assert.throws(() => parse(Uint8Array.of(...bytes, 0)), WireError);
      assert.throws(() => parse(Uint8Array.of(7, ...bytes.slice(1))), WireError);
    });
  }

  it("a record has one spelling: what parses encodes back to the same bytes", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 200 }), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const bytes = recordV1(record);
        const index = at % bytes.length;
        bytes[index] = (bytes[index] ?? 0) ^ flip;
        try {
          assert.deepEqual(recordV1(parseRecordV1(bytes)), bytes);
        } catch (error) {
          assert.ok(error instanceof WireError);
        }
      }),
    );
  });
});

describe("tree laws", () => {
  const tree = fc.integer({ min: 1, max: 70 }).chain((size) => fc.tuple(fc.constant(size), fc.nat(size - 1)));
  const leavesOf = (size: number): Uint8Array[] => Array.from({ length: size }, (_, i) => sha256(Uint8Array.of(i)));

  it("each leaf's path verifies at its index and size only", () => {
    fc.assert(
      fc.property(tree, fc.nat(80), ([size, index], other) => {
        const leaves = leavesOf(size);
        const root = merkleRoot(leaves);
        const path = merklePath(leaves, index);
        const leaf = leaves[index] ?? new Uint8Array();
        assert.ok(verifyPath({ leaf, index, size, path, root }));
        if (other !== index) assert.ok(!verifyPath({ leaf, index: other, size, path, root }));
        assert.ok(!verifyPath({ leaf, index, size, path: [...path, root], root }));
        if (path.length > 0) assert.ok(!verifyPath({ leaf, index, size, path: path.slice(1), root }));
      }),
    );
  });

  it("a changed sibling or leaf leads elsewhere", () => {
    fc.assert(
      fc.property(tree, bytes32, fc.nat(9), ([size, index], stranger, at) => {
        const leaves = leavesOf(size);
        const [root, path] = [merkleRoot(leaves), merklePath(leaves, index)];
        const leaf = leaves[index] ?? new Uint8Array();
        assert.ok(!verifyPath({ leaf: stranger, index, size, path, root }));
        const changed = path.map((node, i) => (i === at % path.length ? stranger : node));
        if (path.length > 0) assert.ok(!verifyPath({ leaf, index, size, path: changed, root }));
      }),
    );
  });

  it("refuses sizes and indices that are no numbers of leaves", () => {
    const leaf = new Uint8Array(32);
    for (const [index, size] of [
      [0, 0],
      [1, 1],
      [-1, 1],
      [0.5, 2],
      [0, 2 ** 32],
      [0, Number.NaN],
    ] as const) {
      assert.ok(!verifyPath({ leaf, index, size, path: [], root: leaf }));
    }
  });
});

describe("round trips", () => {
  it("headers", () => {
    fc.assert(
      fc.property(u64, u64, u32, bytes32, bytes32, (chainId, number, size, root, previous) => {
        fc.pre(number > 0n && size > 0);
        const header = { chainId, submitter: root.slice(0, 20), number, size, root, previous };
        assert.deepEqual(parseBatchHeader(batchHeader(header)), header);
        const anchor = { sequence: number, size, root };
        assert.deepEqual(parseAnchorHeader(anchorHeader(anchor)), anchor);
      }),
    );
  });

  it("different submissions have different ids", () => {
    const content = { environment: "e", account: "a", chainId: "c", blockNumber: 1n, source: "s", proofData: "p" };
    const others = [
      { ...content, environment: "ea", account: "" },
      { ...content, account: "ac", chainId: "" },
      { ...content, blockNumber: null, source: "1s" },
      { ...content, source: "" },
      { ...content, proofData: "q" },
    ];
    assert.equal(new Set([content, ...others].map(submissionId)).size, 6);
  });
});
