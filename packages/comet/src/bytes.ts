/** Byte strings and the two spellings CometBFT's JSON has for them: upper-case hex and padded base64. */
import { CometError } from "./error.ts";

const HEX = /^(?:[0-9A-F]{2})*$/;
const BASE64_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const BASE64_CODES = new TextEncoder().encode(BASE64_ALPHABET);
const BASE64_VALUES = Uint8Array.from({ length: 128 }, (_, code) =>
  Math.max(0, BASE64_ALPHABET.indexOf(String.fromCharCode(code))),
);
const PAD = 61;
const NIBBLES = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0").toUpperCase());

/** The empty byte string. */
export const EMPTY: Uint8Array = new Uint8Array(0);

/** Upper-case hex without prefix, CometBFT's spelling of hashes and addresses. */
export function bytesToUpperHex(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += NIBBLES[byte];
  return text;
}

/** Strict inverse of {@link bytesToUpperHex}. Throws CometError `invalid-json`. */
export function upperHexToBytes(text: string): Uint8Array {
  if (!HEX.test(text)) throw new CometError("invalid-json", "expected upper-case hex");
  const bytes = new Uint8Array(text.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(text.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}

/** Standard base64 with padding. */
export function bytesToBase64(bytes: Uint8Array): string {
  const out = new Uint8Array(4 * Math.ceil(bytes.length / 3));
  let o = 0;
  for (let i = 0; i < bytes.length; i += 3) {
    const a = bytes[i] ?? 0;
    const b = bytes[i + 1];
    const c = bytes[i + 2];
    out[o++] = BASE64_CODES[a >> 2] ?? PAD;
    out[o++] = BASE64_CODES[((a & 3) << 4) | ((b ?? 0) >> 4)] ?? PAD;
    out[o++] = b === undefined ? PAD : (BASE64_CODES[((b & 15) << 2) | ((c ?? 0) >> 6)] ?? PAD);
    out[o++] = c === undefined ? PAD : (BASE64_CODES[c & 63] ?? PAD);
  }
  return new TextDecoder().decode(out);
}

/** Strict inverse of {@link bytesToBase64}: padding required, unused bits zero. Throws CometError `invalid-json`. */
export function base64ToBytes(text: string): Uint8Array {
  if (!BASE64.test(text)) throw new CometError("invalid-json", "expected padded base64");
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  const bytes = new Uint8Array((text.length / 4) * 3 - padding);
  let o = 0;
  for (let i = 0; i < text.length; i += 4) {
    let group = 0;
    for (let j = 0; j < 4; j++) {
      const code = text.charCodeAt(i + j);
      group = group * 64 + (code === PAD ? 0 : (BASE64_VALUES[code] ?? 0));
    }
    for (let shift = 16; shift >= 0; shift -= 8) {
      if (o < bytes.length) bytes[o++] = (group >> shift) & 255;
      else if (((group >> shift) & 255) !== 0) throw new CometError("invalid-json", "base64 with stray bits");
    }
  }
  return bytes;
}

/** Concatenation of byte strings. */
export function concat(parts: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (const part of parts) length += part.length;
  const out = new Uint8Array(length);
  let offset = 0;
  for (const part of parts) {
    out.set(part, offset);
    offset += part.length;
  }
  return out;
}

/** Whether two byte strings are equal (not constant time: nothing here is secret). */
export function bytesEqual(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
