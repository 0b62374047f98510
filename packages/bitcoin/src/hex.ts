/** Hex as Bitcoin's tools print it. */
import { BitcoinFormatError } from "./format-error.ts";

const DIGITS = /^(?:[0-9a-f]{2})*$/;

/** Lower-case hex without 0x, as Bitcoin's tools print bytes. */
export function encodeHex(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += byte.toString(16).padStart(2, "0");
  return text;
}

/** Strict reader of `encodeHex`'s output: lower case, even length. Throws `bad-hex`. */
export function decodeHex(text: string): Uint8Array {
  if (!DIGITS.test(text)) throw new BitcoinFormatError("bad-hex", "not lower-case hex of whole bytes");
  const bytes = new Uint8Array(text.length / 2);
  for (let i = 0; i < bytes.length; i += 1) bytes[i] = Number.parseInt(text.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}

/** Whether two byte strings are the same. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
