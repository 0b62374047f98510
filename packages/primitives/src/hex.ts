/**
 * Owns the text form of bytes: `0x` and two digits per byte (specification: Encoding rules, "unformatted data").
 * Quantities, which have another form, are in quantity.ts.
 */
import { nodeBuffer } from "./platform.ts";

/** Bytes as text: `0x` and an even number of hex digits. */
export type Hex = `0x${string}`;
/** 20 bytes. */
export type Address = Hex;
/** 32 bytes. */
export type Hash = Hex;

/** Text that is no hex data or no quantity. The message names the fault, never the value. */
export class HexError extends Error {
  override readonly name = "HexError";
}

/** From so many bytes on, crossing into Node's own code is cheaper. */
const LONG_BYTES = 64;

const DIGITS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

function digitValue(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  if (code >= 97 && code <= 102) return code - 87;
  if (code >= 65 && code <= 70) return code - 55;
  return -1;
}

/** Bytes of `0x`-prefixed hex data, either case. Throws `HexError` on anything else. */
export function hexToBytes(hex: string): Uint8Array {
  if (!hex.startsWith("0x")) throw new HexError("hex string without 0x prefix");
  if (hex.length % 2 !== 0) throw new HexError("hex string of odd length");
  const bytes = new Uint8Array(hex.length / 2 - 1);
  const buffer = bytes.length < LONG_BYTES ? undefined : nodeBuffer(bytes);
  if (buffer === undefined) {
    writeDigits(hex, bytes);
  } else {
    // Node looks at the low byte of each character only.
    if (!isHex(hex)) throw new HexError("invalid hex string");
    buffer.write(hex.slice(2), "hex");
  }
  return bytes;
}

function writeDigits(hex: string, bytes: Uint8Array): void {
  for (let i = 0; i < bytes.length; i++) {
    const high = digitValue(hex.charCodeAt(2 * i + 2));
    const low = digitValue(hex.charCodeAt(2 * i + 3));
    if (high < 0 || low < 0) throw new HexError("invalid hex string");
    bytes[i] = high * 16 + low;
  }
}

/** Lower-case hex data with `0x`. */
export function bytesToHex(bytes: Uint8Array): Hex {
  const buffer = nodeBuffer(bytes);
  if (buffer !== undefined) return `0x${buffer.toString("hex")}`;
  let text = "0x";
  for (const byte of bytes) text += DIGITS[byte];
  return text as Hex;
}

/** Whether `text` is hex data, of exactly `length` bytes when that is given. */
export function isHex(text: string, length?: number): text is Hex {
  if (length !== undefined && text.length !== 2 + 2 * length) return false;
  return text.length % 2 === 0 && /^0x[0-9a-fA-F]*$/.test(text);
}

/** One array of all the parts, in order. */
export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (const part of parts) length += part.length;
  const whole = new Uint8Array(length);
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}

/** Whether both hold the same bytes. Not constant-time. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
