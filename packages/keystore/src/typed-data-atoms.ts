/** Owns the 32-byte encoding of values that are no structs and no arrays (EIP-712, `encodeData`). */
import { bigintToBytes, hexToBytes, isHex, keccak256 } from "@cairn/primitives";
import { TypedDataError } from "./typed-data-types.ts";

/** Encodes the value of a field as 32 bytes; `where` names the field in errors. */
export type EncodeField = (type: string, value: unknown, where: string, depth: number) => Uint8Array;

const TEXT = new TextEncoder();
const WORD_VALUES = 2n ** 256n;

function padLeft(bytes: Uint8Array): Uint8Array {
  const padded = new Uint8Array(32);
  padded.set(bytes, 32 - bytes.length);
  return padded;
}

function padRight(bytes: Uint8Array): Uint8Array {
  const padded = new Uint8Array(32);
  padded.set(bytes);
  return padded;
}

function dataOf(value: unknown, where: string, bytes?: number): Uint8Array {
  if (typeof value !== "string" || !isHex(value, bytes))
    throw new TypedDataError(`${where} is no hex data of its type`);
  return hexToBytes(value);
}

/** An integer as JSON number, decimal text or hex text, as wallets take it. */
function integerOf(value: unknown, where: string): bigint {
  if (typeof value === "number" && Number.isSafeInteger(value)) return BigInt(value);
  if (typeof value === "bigint") return value;
  if (typeof value === "string" && /^-?\d{1,78}$/.test(value)) return BigInt(value);
  if (typeof value === "string" && /^-?0x[0-9a-fA-F]{1,64}$/.test(value)) {
    return value.startsWith("-") ? -BigInt(value.slice(1)) : BigInt(value);
  }
  throw new TypedDataError(`${where} is no integer`);
}

function encodeInteger(type: string, value: unknown, where: string): Uint8Array {
  const n = integerOf(value, where);
  const bits = BigInt(type.replace(/^u?int/, ""));
  const isSigned = type.startsWith("int");
  const most = 2n ** (isSigned ? bits - 1n : bits) - 1n;
  const least = isSigned ? -(2n ** (bits - 1n)) : 0n;
  if (n < least || n > most) throw new TypedDataError(`${where} is out of the range of ${type}`);
  return padLeft(bigintToBytes(n < 0n ? WORD_VALUES + n : n));
}

/** The 32 bytes of an atomic or dynamic value. Throws `TypedDataError` when it is not of its type. */
export function encodeAtom(type: string, value: unknown, where: string): Uint8Array {
  switch (type) {
    case "address":
      return padLeft(dataOf(value, where, 20));
    case "bool":
      if (typeof value !== "boolean") throw new TypedDataError(`${where} is no boolean`);
      return padLeft(Uint8Array.of(value ? 1 : 0));
    case "string":
      if (typeof value !== "string") throw new TypedDataError(`${where} is no string`);
      return keccak256(TEXT.encode(value));
    case "bytes":
      return keccak256(dataOf(value, where));
    default:
      if (type.startsWith("bytes")) return padRight(dataOf(value, where, Number(type.slice("bytes".length))));
      return encodeInteger(type, value, where);
  }
}
