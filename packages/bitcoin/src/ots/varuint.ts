/** Numbers and byte strings of OpenTimestamps files. */
import type { ByteReader } from "../byte-reader.ts";
import { BitcoinFormatError } from "../format-error.ts";

/** LEB128 of a number below 2^53. */
export function encodeVaruint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  return Uint8Array.of(...bytes, rest);
}

/** Strict LEB128: shortest form, below 2^53. Throws `not-minimal`, `too-large`, `truncated`. */
export function readVaruint(reader: ByteReader): number {
  let value = 0;
  for (let scale = 1; ; scale *= 0x80) {
    const byte = reader.u8();
    value += (byte & 0x7f) * scale;
    if (value > Number.MAX_SAFE_INTEGER) throw new BitcoinFormatError("too-large", "a number above 2^53");
    if (byte >= 0x80) continue;
    if (byte === 0 && scale > 1) throw new BitcoinFormatError("not-minimal", "a number not in its shortest form");
    return value;
  }
}

/** Bytes after their length; the length must lie in [least, most]. Throws `bad-length`. */
export function readVarbytes(reader: ByteReader, least: number, most: number): Uint8Array {
  const length = readVaruint(reader);
  if (length < least || length > most)
    throw new BitcoinFormatError("bad-length", `${length} bytes where ${least} to ${most} may stand`);
  return reader.take(length);
}
