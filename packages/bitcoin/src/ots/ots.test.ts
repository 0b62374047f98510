import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  type Attestation,
  applyOp,
  attested,
  BitcoinFormatError,
  ByteReader,
  buildPath,
  countOps,
  decodeHex,
  encodeHex,
  encodeVaruint,
  evaluateTimestamp,
  isCalendarUri,
  mergeTimestamps,
  type Op,
  parseDetached,
  readVaruint,
  serializeDetached,
  serializeTimestamp,
  type Timestamp,
} from "../index.ts";

const plain = { noNullPrototype: true } as const;
const arg = fc.uint8Array({ minLength: 1, maxLength: 60 });
const UNARY = ["reverse", "hexlify", "sha1", "ripemd160", "sha256", "keccak256"] as const;
const ops: fc.Arbitrary<Op> = fc.oneof(
  fc.record({ kind: fc.constantFrom("append" as const, "prepend" as const), arg }, plain),
  fc.record({ kind: fc.constantFrom(...UNARY) }, plain),
);
const attestations: fc.Arbitrary<Attestation> = fc.oneof(
  fc.record({ kind: fc.constant("bitcoin" as const), height: fc.nat() }, plain),
  fc.record(
    { kind: fc.constant("pending" as const), uri: fc.constantFrom("https://a.example/x", "http://127.0.0.1:80") },
    plain,
  ),
  fc.record(
    {
      kind: fc.constant("unknown" as const),
      tag: fc.constantFrom("00".repeat(8), "06869a0d73d71b45"),
      payload: fc.uint8Array({ maxLength: 40 }),
    },
    plain,
  ),
);
const leaf: fc.Arbitrary<Timestamp> = fc
  .array(attestations, { minLength: 1, maxLength: 3 })
  .map((list) => attested(...list));

function treeOf(depth: number): fc.Arbitrary<Timestamp> {
  if (depth === 0) return leaf;
  const branch = fc.record({ op: ops, next: treeOf(depth - 1) }, plain);
  const fork = fc.record(
    {
      attestations: fc.array(attestations, { maxLength: 2 }),
      branches: fc.array(branch, { minLength: 1, maxLength: 2 }),
    },
    plain,
  );
  return fc.oneof(leaf, fork);
}

const tree = treeOf(5);
const digest = new Uint8Array(32).fill(5);

describe("OpenTimestamps files", () => {
  it("round trip", () => {
    fc.assert(
      fc.property(tree, (timestamp) => {
        const file = serializeDetached(digest, timestamp);
        assert.deepEqual(parseDetached(file), { fileDigest: digest, timestamp });
      }),
      { numRuns: 60 },
    );
  });

  it("have one spelling, and nothing crashes the reader", () => {
    fc.assert(
      fc.property(tree, fc.nat(), fc.integer({ min: 1, max: 255 }), (timestamp, at, flip) => {
        const file = serializeDetached(digest, timestamp);
        file[at % file.length] = (file[at % file.length] ?? 0) ^ flip;
        try {
          const parsed = parseDetached(file);
          assert.deepEqual(parseDetached(serializeDetached(parsed.fileDigest, parsed.timestamp)), parsed);
        } catch (error) {
          assert.ok(error instanceof BitcoinFormatError);
        }
      }),
      { numRuns: 200 },
    );
  });

  it("refuse what is cut, longer, of another version or another kind", () => {
    const file = serializeDetached(digest, buildPath([{ kind: "sha256" }], attested({ kind: "bitcoin", height: 7 })));
    for (let length = 0; length < file.length; length += 1) {
      assert.throws(() => parseDetached(file.slice(0, length)), BitcoinFormatError);
    }
    assert.throws(() => parseDetached(Uint8Array.of(...file, 0)), { code: "trailing-bytes" });
    const at = (index: number, value: number): Uint8Array => file.with(index, value);
    assert.throws(() => parseDetached(at(31, 2)), { code: "unsupported-version" });
    assert.throws(() => parseDetached(at(32, 0x67)), { code: "unknown-operation" });
    assert.throws(() => parseDetached(at(0, 1)), { code: "bad-magic" });
  });

  it("bound the depth", () => {
    const deep = (length: number): Timestamp =>
      buildPath(
        Array.from({ length }, () => ({ kind: "sha256" }) as const),
        attested({ kind: "bitcoin", height: 1 }),
      );
    assert.equal(countOps(parseDetached(serializeDetached(digest, deep(256))).timestamp), 256);
    assert.throws(() => serializeDetached(digest, deep(257)), { code: "too-deep" });
    const tail = serializeTimestamp(attested({ kind: "bitcoin", height: 1 }));
    const head = serializeDetached(digest, deep(1)).slice(0, -1 - tail.length);
    const file = Uint8Array.of(...head, ...new Uint8Array(5000).fill(8), ...tail);
    assert.throws(() => parseDetached(file), { code: "too-deep" });
  });
});

describe("operations", () => {
  it("do what their names say", () => {
    const message = new TextEncoder().encode("abc");
    const run = (op: Op): string => encodeHex(applyOp(op, message));
    for (const kind of ["sha1", "ripemd160", "sha256"] as const) {
      assert.equal(run({ kind }), createHash(kind).update(message).digest("hex"));
    }
    assert.equal(run({ kind: "keccak256" }), "4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45");
    assert.equal(run({ kind: "append", arg: Uint8Array.of(1) }), "61626301");
    assert.equal(run({ kind: "prepend", arg: Uint8Array.of(1) }), "01616263");
    assert.equal(run({ kind: "reverse" }), "636261");
    assert.equal(run({ kind: "hexlify" }), Buffer.from("616263").toString("hex"));
  });

  it("bound messages", () => {
    const long = new Uint8Array(4096);
    assert.throws(() => applyOp({ kind: "append", arg: Uint8Array.of(1) }, long), { code: "too-large" });
    assert.throws(() => applyOp({ kind: "hexlify" }, long.slice(0, 2049)), { code: "too-large" });
    assert.equal(applyOp({ kind: "hexlify" }, long.slice(0, 2048)).length, 4096);
  });

  it("evaluate every branch", () => {
    const pending = attested({ kind: "pending", uri: "http://c.example" });
    const fork = mergeTimestamps(pending, buildPath([{ kind: "sha256" }], attested({ kind: "bitcoin", height: 3 })));
    const found = evaluateTimestamp(fork, digest);
    assert.deepEqual(
      found.map(({ attestation }) => attestation.kind),
      ["pending", "bitcoin"],
    );
    assert.equal(encodeHex(found[1]?.message ?? digest), createHash("sha256").update(digest).digest("hex"));
  });
});

describe("numbers and URLs", () => {
  it("varuints are strict", () => {
    fc.assert(
      fc.property(fc.nat({ max: Number.MAX_SAFE_INTEGER }), (value) => {
        assert.equal(readVaruint(new ByteReader(encodeVaruint(value))), value);
      }),
    );
    const read = (hex: string): number => readVaruint(new ByteReader(decodeHex(hex)));
    assert.equal(read("8001"), 128);
    assert.throws(() => read("8000"), { code: "not-minimal" });
    assert.throws(() => read("80"), { code: "truncated" });
    assert.throws(() => read("ffffffffffffffffff01"), { code: "too-large" });
  });

  it("calendar URLs are those that stock clients take", () => {
    assert.ok(isCalendarUri("https://calendar.example:8443/a_b-c"));
    for (const bad of ["", "http://a?b", "http://a%20", "http://u@h", "http://[::1]", "x".repeat(1001)]) {
      assert.ok(!isCalendarUri(bad), bad);
      assert.throws(() => serializeTimestamp(attested({ kind: "pending", uri: bad })), { code: "bad-attestation" });
    }
  });
});
