import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  BitcoinFormatError,
  type BitcoinTransaction,
  checkProofOfWork,
  coinbaseHeight,
  coinbaseHeightPush,
  decodeHex,
  displayHash,
  encodeHex,
  headerHash,
  opReturnData,
  opReturnScript,
  parseBlock,
  parseDisplayHash,
  parseHeader,
  parseStripped,
  parseTransaction,
  serializeBlock,
  serializeHeader,
  serializeStripped,
  serializeTransaction,
  subsidySat,
  targetFromBits,
  transactionId,
  transactionVsize,
  witnessId,
  workFromBits,
} from "./index.ts";

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const some = (maxLength: number) => fc.uint8Array({ maxLength });
const u32 = fc.integer({ min: 0, max: 0xffffffff });

const PLAIN = { noNullPrototype: true } as const;
const input = fc.record(
  { txid: bytes(32), vout: u32, scriptSig: some(300), sequence: u32, witness: fc.array(some(80), { maxLength: 3 }) },
  PLAIN,
);
const output = fc.record({ valueSat: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), scriptPubKey: some(60) }, PLAIN);
const transactions: fc.Arbitrary<BitcoinTransaction> = fc.record(
  {
    version: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
    inputs: fc.array(input, { minLength: 1, maxLength: 4 }),
    outputs: fc.array(output, { minLength: 1, maxLength: 4 }),
    lockTime: u32,
  },
  PLAIN,
);

// Block 170's first payment on mainnet: Satoshi to Hal Finney.
const FIRST_PAYMENT =
  "0100000001c997a5e56e104102fa209c6a852dd90660a20b2d9c352423edce25857fcd3704000000004847304402204e45e16932b8af514961" +
  "a1d3a1a25fdf3f4f7732e9d624c6c61548ab5fb8cd410220181522ec8eca07de4860a4acdd12909d831cc56cbbac4622082221a8768d1d0901" +
  "ffffffff0200ca9a3b00000000434104ae1a62fe09c5f51b13905f07f06b99a2f7159b2225f374cd378d71302fa28414e7aab37397f554a7df" +
  "5f142c21c1b7303b8a0626f1baded5c72a704f7e6cd84cac00286bee0000000043410411db93e1dcdb8a016b49840f8c53bc1eb68a382e97b1" +
  "482ecad7b148a6909a5cb2e0eaddfb84ccf9744464f82e160bfa9b8b64f9d4c03f999b8643f656b412a3ac00000000";

describe("transactions", () => {
  it("reads a mainnet transaction and names it", () => {
    const tx = parseTransaction(decodeHex(FIRST_PAYMENT));
    assert.equal(displayHash(transactionId(tx)), "f4184fc596403b9d638783cf57adfe4c75c605f6356fbc91338530e9831e9e16");
    assert.deepEqual(
      tx.outputs.map(({ valueSat }) => valueSat),
      [1_000_000_000n, 4_000_000_000n],
    );
    assert.equal(transactionVsize(tx), 275);
    assert.equal(encodeHex(serializeTransaction(tx)), FIRST_PAYMENT);
  });

  it("round trips, with and without witness", () => {
    fc.assert(
      fc.property(transactions, (tx) => {
        assert.deepEqual(parseTransaction(serializeTransaction(tx)), tx);
        const stripped = serializeStripped(tx);
        const bare = { ...tx, inputs: tx.inputs.map((input) => ({ ...input, witness: [] })) };
        assert.deepEqual(parseStripped(stripped), bare);
        assert.deepEqual(witnessId(bare), transactionId(tx));
      }),
    );
  });

  it("accepts no prefix, no suffix, and only one spelling", () => {
    fc.assert(
      fc.property(transactions, fc.nat(), fc.integer({ min: 1, max: 255 }), (tx, at, flip) => {
        const raw = serializeTransaction(tx);
        assert.throws(() => parseTransaction(raw.slice(0, at % raw.length)), BitcoinFormatError);
        assert.throws(() => parseTransaction(Uint8Array.of(...raw, 0)), BitcoinFormatError);
        const changed = Uint8Array.from(raw);
        changed[at % raw.length] = (changed[at % raw.length] ?? 0) ^ flip;
        try {
          assert.deepEqual(serializeTransaction(parseTransaction(changed)), changed);
        } catch (error) {
          assert.ok(error instanceof BitcoinFormatError);
        }
      }),
    );
  });

  it("refuses counts that the bytes cannot hold, without trying", () => {
    const hostile = ["01000000feffffffff", "01000000ff", "0100000000010000", "01000000fdffff00"];
    for (const hex of hostile) assert.throws(() => parseTransaction(decodeHex(hex)), BitcoinFormatError);
    assert.throws(() => parseTransaction(decodeHex("01000000fd0100")), { code: "not-minimal" });
  });

  it("reads bytes that lie inside a larger buffer", () => {
    const raw = decodeHex(FIRST_PAYMENT);
    const inside = Buffer.concat([Buffer.alloc(7), raw]).subarray(7);
    assert.deepEqual(transactionId(parseTransaction(inside)), transactionId(parseTransaction(raw)));
  });
});

describe("headers and proof of work", () => {
  const GENESIS =
    "0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd7a7b12b27ac72c3e67768f617fc81bc3888a51" +
    "323a9fb8aa4b1e5e4a29ab5f49ffff001d1dac2b7c";

  it("reads mainnet's genesis", () => {
    const header = parseHeader(decodeHex(GENESIS));
    assert.equal(displayHash(headerHash(header)), "000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f");
    assert.equal(encodeHex(serializeHeader(header)), GENESIS);
    assert.ok(checkProofOfWork(header, 0x1d00ffff));
    assert.ok(!checkProofOfWork({ ...header, nonce: header.nonce + 1 }, 0x1d00ffff));
    assert.ok(!checkProofOfWork({ ...header, bits: 0x207fffff }, 0x1d00ffff), "an easier target than allowed");
    assert.equal(workFromBits(header.bits), 0x100010001n);
  });

  it("reads compact targets as Bitcoin Core does", () => {
    assert.equal(targetFromBits(0x1d00ffff), 0xffffn << 208n);
    assert.equal(targetFromBits(0x207fffff), 0x7fffffn << 232n);
    assert.equal(targetFromBits(0x01123456), 0x12n);
    assert.equal(targetFromBits(0x03123456), 0x123456n);
    for (const none of [0, 0x01003456, 0x04923456, 0x1d800001, 0xff123456, 0x22ffff00]) {
      assert.equal(targetFromBits(none), undefined, none.toString(16));
    }
  });

  it("refuses other lengths", () => {
    for (const length of [0, 79, 81]) assert.throws(() => parseHeader(new Uint8Array(length)), { code: "bad-length" });
  });

  it("blocks round trip", () => {
    fc.assert(
      fc.property(fc.array(transactions, { minLength: 1, maxLength: 3 }), (list) => {
        const block = { header: parseHeader(decodeHex(GENESIS)), transactions: list };
        assert.deepEqual(parseBlock(serializeBlock(block)), block);
      }),
    );
  });
});

describe("coinbase heights (BIP 34)", () => {
  const coinbaseOf = (scriptSig: Uint8Array): BitcoinTransaction => ({
    version: 1,
    inputs: [{ txid: new Uint8Array(32), vout: 0xffffffff, scriptSig, sequence: 0, witness: [] }],
    outputs: [{ valueSat: 0n, scriptPubKey: new Uint8Array() }],
    lockTime: 0,
  });

  it("reads what it writes, minimal only", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 31 - 1 }), (height) => {
        const script = Uint8Array.of(...coinbaseHeightPush(height), 0);
        assert.equal(coinbaseHeight(coinbaseOf(script)), height);
      }),
    );
    assert.equal(coinbaseHeight(coinbaseOf(decodeHex("0390ee08aa"))), 585_360);
    for (const bad of ["020500", "0300010000", "03ffffff", "00", "0102", "02", "4c0101"]) {
      assert.equal(coinbaseHeight(coinbaseOf(decodeHex(bad))) ?? "none", "none", bad);
    }
  });

  it("finds none in other transactions", () => {
    assert.equal(coinbaseHeight(parseTransaction(decodeHex(FIRST_PAYMENT))), undefined);
  });

  it("halves the subsidy", () => {
    const expected = [5_000_000_000n, 5_000_000_000n, 2_500_000_000n, 2_500_000_000n, 1_250_000_000n];
    assert.deepEqual(
      [1, 149, 150, 299, 300].map((height) => subsidySat(height, 150)),
      expected,
    );
    assert.equal(subsidySat(150 * 64, 150), 0n);
  });
});

describe("text and scripts", () => {
  it("hashes read backwards", () => {
    const hash = createHash("sha256").update("x").digest();
    assert.deepEqual(Buffer.from(parseDisplayHash(displayHash(hash))), hash);
    assert.equal(displayHash(hash), Buffer.from(hash).reverse().toString("hex"));
    for (const bad of ["", "00", "zz".repeat(32), "AA".repeat(32), "0".repeat(63)]) {
      assert.throws(() => parseDisplayHash(bad), BitcoinFormatError);
    }
  });

  it("OP_RETURN has one push of its data", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 80 }), (data) => {
        assert.deepEqual(opReturnData(opReturnScript(data)), data);
      }),
    );
    for (const bad of ["", "6a", "6a00", "6a0201", "6a01", "6a010203", "6a4c0101", "000101", "6a4c"]) {
      assert.equal(opReturnData(decodeHex(bad)), undefined, bad);
    }
    assert.throws(() => opReturnScript(new Uint8Array(81)), RangeError);
  });
});
