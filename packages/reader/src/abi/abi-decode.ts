/**
 * Strict decoding of Solidity's ABI: every padding is zero, every offset and length lies inside, and the data is
 * exactly as long as its values need. Anything else is no data of that type, and is not guessed at.
 */
import { bytesToBigint, bytesToHex, type Hex } from "@cairn/primitives";
import { type AbiParameter, type AbiType, headSize, isDynamic } from "./abi-type.ts";

/** A decoded value: integers as bigint; addresses and bytes as 0x-hex; arrays and tuples as lists. */
export type AbiValue = bigint | boolean | string | readonly AbiValue[];

/** Data that is not of the type it should be. */
export class AbiMismatch extends Error {
  constructor(message: string) {
    super(message);
    this.name = "AbiMismatch";
  }
}

const WORD = 32;

/** Decodes the values of a parameter list. Throws AbiMismatch. */
export function decodeParameters(parameters: readonly AbiParameter[], data: Uint8Array): readonly AbiValue[] {
  const fields = { kind: "tuple", fields: parameters } as const;
  // Honest data has a word for every value, so overlapping tails cannot multiply the work.
  const budget = { words: data.length / WORD + parameters.length };
  const decoded = readFields(data, 0, fields.fields, budget);
  if (decoded.size !== data.length) {
    throw new AbiMismatch(`expected ${decoded.size} bytes of data, got ${data.length}`);
  }
  return decoded.value;
}

/** Decodes one word, as it stands in an indexed topic. Throws AbiMismatch. */
export function decodeWord(type: AbiType, word: Uint8Array): AbiValue {
  switch (type.kind) {
    case "uint":
      return unsigned(word, type.bits);
    case "int":
      return signed(word, type.bits);
    case "bool": {
      const value = unsigned(word, 1);
      return value === 1n;
    }
    case "address":
      return `0x${unsigned(word, 160).toString(16).padStart(40, "0")}`;
    case "fixed-bytes":
      return padded(word, type.size);
    default:
      throw new AbiMismatch("a value of this type is no single word");
  }
}

interface Decoded<T> {
  readonly value: T;
  /** Bytes of its canonical encoding, head and tail. */
  readonly size: number;
}

interface Budget {
  words: number;
}

function wordAt(data: Uint8Array, at: number, budget: Budget): Uint8Array {
  budget.words -= 1;
  if (budget.words < -1) throw new AbiMismatch("the data repeats itself");
  if (at + WORD > data.length) throw new AbiMismatch(`the data ends at ${data.length}, a word was expected at ${at}`);
  return data.subarray(at, at + WORD);
}

function smallAt(data: Uint8Array, at: number, budget: Budget): number {
  const value = bytesToBigint(wordAt(data, at, budget));
  if (value > BigInt(data.length)) throw new AbiMismatch("an offset or length lies outside of the data");
  return Number(value);
}

/** A sequence of values whose heads begin at `base`; offsets count from there. */
function readFields(
  data: Uint8Array,
  base: number,
  fields: readonly { readonly type: AbiType }[],
  budget: Budget,
): Decoded<readonly AbiValue[]> {
  let head = base;
  let size = 0;
  const value = fields.map(({ type }) => {
    const at = isDynamic(type) ? base + smallAt(data, head, budget) : head;
    head += headSize(type);
    const decoded = readValue(data, at, type, budget);
    size += decoded.size + (isDynamic(type) ? WORD : 0);
    return decoded.value;
  });
  return { value, size };
}

function readValue(data: Uint8Array, at: number, type: AbiType, budget: Budget): Decoded<AbiValue> {
  if (type.kind === "tuple") return readFields(data, at, type.fields, budget);
  if (type.kind === "array") return readArray(data, at, type, budget);
  if (type.kind === "bytes" || type.kind === "string") return readBytes(data, at, type.kind, budget);
  return { value: decodeWord(type, wordAt(data, at, budget)), size: WORD };
}

function readArray(
  data: Uint8Array,
  at: number,
  type: AbiType & { readonly kind: "array" },
  budget: Budget,
): Decoded<AbiValue> {
  const length = type.length ?? smallAt(data, at, budget);
  if (length * headSize(type.of) > data.length) throw new AbiMismatch("an array is longer than the data");
  const prefix = type.length === undefined ? WORD : 0;
  const items = Array.from({ length }, () => ({ type: type.of }));
  const decoded = readFields(data, at + prefix, items, budget);
  return { value: decoded.value, size: decoded.size + prefix };
}

function readBytes(data: Uint8Array, at: number, kind: "bytes" | "string", budget: Budget): Decoded<AbiValue> {
  const length = smallAt(data, at, budget);
  const end = at + WORD + length;
  const rounded = Math.ceil(length / WORD) * WORD;
  if (at + WORD + rounded > data.length) throw new AbiMismatch("bytes reach beyond the data");
  if (data.subarray(end, at + WORD + rounded).some((byte) => byte !== 0)) throw new AbiMismatch("padding is not zero");
  const bytes = data.subarray(at + WORD, end);
  return { value: kind === "bytes" ? bytesToHex(bytes) : utf8(bytes), size: WORD + rounded };
}

function utf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new AbiMismatch("a string is not UTF-8");
  }
}

function unsigned(word: Uint8Array, bits: number): bigint {
  const value = bytesToBigint(word);
  if (value >> BigInt(bits) !== 0n) throw new AbiMismatch(`a value does not fit ${bits} bits`);
  return value;
}

function signed(word: Uint8Array, bits: number): bigint {
  const value = BigInt.asIntN(256, bytesToBigint(word));
  if (BigInt.asIntN(bits, value) !== value) throw new AbiMismatch(`a value does not fit ${bits} bits`);
  return value;
}

function padded(word: Uint8Array, size: number): Hex {
  if (word.subarray(size).some((byte) => byte !== 0)) throw new AbiMismatch("padding is not zero");
  return bytesToHex(word.subarray(0, size));
}
