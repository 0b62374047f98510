/** Our decoder against viem's encoder: values come back, and any damage is refused. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { bytesToHex, type Hex, hexToBytes } from "@cairn/primitives";
import fc from "fast-check";
import {
  encodeAbiParameters,
  parseAbiItem,
  toEventHash,
  toFunctionSelector,
  type AbiParameter as ViemParameter,
} from "viem";
import { AbiMismatch, decodeParameters } from "./abi-decode.ts";
import { parseSignature, SignatureError, signatureFromJson, signatureHash } from "./signature.ts";

const SIGNATURES = [
  "f(uint256 a, int24 b, bool c, address d, bytes4 e)",
  "f(bytes a, string b, uint8[] c, bytes32[2] d)",
  "f((uint64 n, bytes data, (bool x, string[] names) inner)[] items, uint256 z)",
  "f(uint16[3][] a, bytes[2] b)",
];

/** A value of a type as viem takes it, with what our decoder gives for it. */
function arbitrary(type: ViemParameter): fc.Arbitrary<unknown> {
  const array = /^(.*)\[(\d*)\]$/.exec(type.type);
  if (array !== null) {
    const item = arbitrary({ ...type, type: array[1] ?? "" });
    const length = array[2] === "" ? { maxLength: 4 } : { minLength: Number(array[2]), maxLength: Number(array[2]) };
    return fc.array(item, length);
  }
  if (type.type === "tuple" && "components" in type) {
    return fc.record(Object.fromEntries(type.components.map((part) => [part.name, arbitrary(part)])));
  }
  const bits = Number(/\d+$/.exec(type.type)?.[0] ?? 256);
  if (type.type.startsWith("uint")) return number(0n, 2n ** BigInt(bits) - 1n, bits);
  if (type.type.startsWith("int")) return number(-(2n ** BigInt(bits - 1)), 2n ** BigInt(bits - 1) - 1n, bits);
  if (type.type === "bool") return fc.boolean();
  if (type.type === "string") return fc.string({ unit: "grapheme", maxLength: 40 });
  const size = type.type === "address" ? 20 : type.type === "bytes" ? undefined : bits;
  const length = size === undefined ? { maxLength: 70 } : { minLength: size, maxLength: size };
  return fc.uint8Array(length).map((bytes) => bytesToHex(bytes));
}

function number(min: bigint, max: bigint, bits: number): fc.Arbitrary<unknown> {
  return fc.bigInt({ min, max }).map((value) => (bits <= 48 ? Number(value) : value));
}

/** viem's value in our form: integers as bigint, tuples as lists. */
function ours(value: unknown): unknown {
  if (typeof value === "number") return BigInt(value);
  if (Array.isArray(value)) return value.map(ours);
  return typeof value === "object" && value !== null ? Object.values(value).map(ours) : value;
}

function viemParameters(text: string): readonly ViemParameter[] {
  const item = parseAbiItem(`function ${text}`);
  return item.type === "function" ? item.inputs : assert.fail("no function");
}

for (const text of SIGNATURES) {
  const inputs = viemParameters(text);
  const { parameters } = parseSignature(text);

  test(`round trip: ${text}`, () => {
    fc.assert(
      fc.property(fc.tuple(...inputs.map(arbitrary)), (values) => {
        const data = hexToBytes(encodeAbiParameters(inputs, values));
        assert.deepEqual(decodeParameters(parameters, data), ours(values));
      }),
      { numRuns: 60 },
    );
  });

  test(`damage never passes for the value: ${text}`, () => {
    const damage = fc.tuple(fc.tuple(...inputs.map(arbitrary)), fc.nat(), fc.integer({ min: 1, max: 255 }));
    fc.assert(
      fc.property(damage, ([values, at, flip]) => {
        const data = hexToBytes(encodeAbiParameters(inputs, values));
        data[at % data.length] = (data[at % data.length] ?? 0) ^ flip;
        try {
          assert.notDeepEqual(decodeParameters(parameters, data), ours(values));
        } catch (error) {
          if (!(error instanceof AbiMismatch)) throw error;
        }
      }),
      { numRuns: 60 },
    );
  });

  test(`a byte more or less is refused: ${text}`, () => {
    const values = fc.sample(fc.tuple(...inputs.map(arbitrary)), 1)[0] ?? [];
    const data = hexToBytes(encodeAbiParameters(inputs, values));
    assert.throws(() => decodeParameters(parameters, data.subarray(0, -1)), AbiMismatch);
    assert.throws(() => decodeParameters(parameters, Uint8Array.of(...data, 0)), AbiMismatch);
    assert.throws(() => decodeParameters(parameters, Uint8Array.of(...data, ...new Uint8Array(32))), AbiMismatch);
  });
}

test("overlapping tails do not multiply the work", () => {
  const { parameters } = parseSignature("f(uint256[][][] a)");
  const length = 900;
  const data = new Uint8Array((4 + 3 * length) * 32);
  const view = new DataView(data.buffer);
  const set = (word: number, value: number) => view.setUint32(word * 32 + 28, value);
  set(0, 32);
  // Three lists, one behind the other; every member of one is the whole next one.
  for (const at of [1, 2 + length, 3 + 2 * length]) set(at, length);
  for (let i = 0; i < length; i += 1) {
    set(2 + i, length * 32);
    set(3 + length + i, length * 32);
  }
  const started = performance.now();
  assert.throws(() => decodeParameters(parameters, data), AbiMismatch);
  assert.ok(performance.now() - started < 1_000);
});

test("signatures hash as viem's", () => {
  const event = "Moved(address indexed from, (uint256 a, bytes b)[] list, uint tokens)";
  const hash: Hex = toEventHash("Moved(address,(uint256,bytes)[],uint256)");
  assert.equal(bytesToHex(signatureHash(parseSignature(event))), hash);
  const call = parseSignature("function prove(bytes32 root, bytes calldata proof)");
  assert.equal(bytesToHex(signatureHash(call).subarray(0, 4)), toFunctionSelector("prove(bytes32,bytes)"));
  const json = { name: "E", inputs: [{ name: "t", type: "tuple[2]", components: [{ name: "x", type: "uint8" }] }] };
  assert.deepEqual(signatureHash(signatureFromJson(json)), signatureHash(parseSignature("E((uint8 x)[2] t)")));
});

for (const text of [
  "",
  "E",
  "E(",
  "E(uint)x",
  "E(uint7 a)",
  "E(bytes0 a)",
  "E(uint a, uint a)",
  "E(uint[0] a)",
  "9(uint a)",
]) {
  test(`no signature: ${JSON.stringify(text)}`, () => assert.throws(() => parseSignature(text), SignatureError));
}
