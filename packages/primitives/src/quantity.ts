/**
 * Owns the text form of integers: compact hex with `0x` and at least one digit (specification: Encoding rules,
 * "quantity"), and their minimal big-endian bytes as RLP carries them.
 */
import { bytesToHex, type Hex, HexError, hexToBytes } from "./hex.ts";

const QUANTITY = /^0x(?:0|[1-9a-fA-F][0-9a-fA-F]*)$/;

/** Longest quantity accepted: 256 bits. */
const MAX_DIGITS = 64;

/** Compact hex of an integer that is zero or more. Throws `HexError` on a negative or fractional number. */
export function quantityToHex(n: bigint | number): Hex {
  if (n < 0 || (typeof n === "number" && !Number.isSafeInteger(n))) throw new HexError("not a quantity");
  return `0x${n.toString(16)}`;
}

/** Value of a compact hex quantity of at most 256 bits. Throws `HexError` with geth's texts. */
export function parseQuantity(text: string): bigint {
  if (!text.startsWith("0x")) throw new HexError(text === "" ? "empty hex string" : "hex string without 0x prefix");
  if (text.length === 2) throw new HexError('hex string "0x"');
  if (!QUANTITY.test(text)) {
    throw new HexError(/^0x0[0-9a-fA-F]+$/.test(text) ? "hex number with leading zero digits" : "invalid hex string");
  }
  if (text.length > MAX_DIGITS + 2) throw new HexError("hex number > 256 bits");
  return BigInt(text);
}

/** Big-endian bytes without leading zeros; zero is empty (the integer form of RLP). */
export function bigintToBytes(n: bigint): Uint8Array {
  if (n < 0n) throw new HexError("not a quantity");
  if (n === 0n) return new Uint8Array(0);
  const digits = n.toString(16);
  return hexToBytes(`0x${digits.length % 2 === 0 ? digits : `0${digits}`}`);
}

/** Value of big-endian bytes; leading zeros are allowed, empty is zero. */
export function bytesToBigint(bytes: Uint8Array): bigint {
  return bytes.length === 0 ? 0n : BigInt(bytesToHex(bytes));
}
