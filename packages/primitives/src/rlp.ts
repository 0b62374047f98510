/**
 * Owns RLP (Ethereum Yellow Paper, appendix B). Decoding is strict: every value has exactly one encoding, and input
 * that uses another, is cut short or has bytes left over is refused.
 */

/** A byte string or a list of values. */
export type RlpValue = Uint8Array | readonly RlpValue[];

/** Input that is no canonical RLP. */
export class RlpError extends Error {
  override readonly name = "RlpError";
}

/** Deepest list nesting decoded; no Ethereum object comes near it. */
const MAX_DEPTH = 128;

function lengthOfLength(length: number): number {
  if (length < 56) return 0;
  if (length < 0x100) return 1;
  if (length < 0x1_0000) return 2;
  return length < 0x100_0000 ? 3 : length < 0x1_0000_0000 ? 4 : 6;
}

function isByte(value: Uint8Array): boolean {
  return value.length === 1 && (value[0] ?? 0) < 0x80;
}

function payloadLength(value: RlpValue): number {
  if (value instanceof Uint8Array) return value.length;
  let length = 0;
  for (const item of value) length += encodedLength(item);
  return length;
}

function encodedLength(value: RlpValue): number {
  if (value instanceof Uint8Array && isByte(value)) return 1;
  const length = payloadLength(value);
  return 1 + lengthOfLength(length) + length;
}

function writePrefix(out: Uint8Array, offset: number, length: number, base: number): number {
  const bytes = lengthOfLength(length);
  if (bytes === 0) {
    out[offset] = base + length;
    return offset + 1;
  }
  out[offset] = base + 55 + bytes;
  for (let i = 0; i < bytes; i++) out[offset + 1 + i] = Math.floor(length / 256 ** (bytes - 1 - i)) % 256;
  return offset + 1 + bytes;
}

function write(out: Uint8Array, offset: number, value: RlpValue): number {
  if (value instanceof Uint8Array) {
    const at = isByte(value) ? offset : writePrefix(out, offset, value.length, 0x80);
    out.set(value, at);
    return at + value.length;
  }
  let at = writePrefix(out, offset, payloadLength(value), 0xc0);
  for (const item of value) at = write(out, at, item);
  return at;
}

/** The encoding of a value. */
export function rlpEncode(value: RlpValue): Uint8Array {
  const out = new Uint8Array(encodedLength(value));
  write(out, 0, value);
  return out;
}

interface Item {
  readonly list: boolean;
  readonly start: number;
  readonly end: number;
}

function longLength(bytes: Uint8Array, offset: number, count: number): number {
  if (count > 6) throw new RlpError("rlp: length too large");
  let length = 0;
  for (let i = 0; i < count; i++) {
    const byte = bytes[offset + i];
    if (byte === undefined) throw new RlpError("rlp: unexpected end");
    if (i === 0 && byte === 0) throw new RlpError("rlp: non-canonical size information");
    length = length * 256 + byte;
  }
  if (length < 56) throw new RlpError("rlp: non-canonical size information");
  return length;
}

function readItem(bytes: Uint8Array, offset: number, limit: number): Item {
  const prefix = bytes[offset];
  if (prefix === undefined || offset >= limit) throw new RlpError("rlp: unexpected end");
  if (prefix < 0x80) return { list: false, start: offset, end: offset + 1 };
  const list = prefix >= 0xc0;
  const short = prefix - (list ? 0xc0 : 0x80);
  const count = short > 55 ? short - 55 : 0;
  const length = count === 0 ? short : longLength(bytes, offset + 1, count);
  const start = offset + 1 + count;
  if (start + length > limit) throw new RlpError("rlp: value larger than its container");
  if (!list && length === 1 && (bytes[start] ?? 0) < 0x80) throw new RlpError("rlp: non-canonical byte");
  return { list, start, end: start + length };
}

function readValue(bytes: Uint8Array, item: Item, depth: number): RlpValue {
  if (!item.list) return bytes.slice(item.start, item.end);
  if (depth >= MAX_DEPTH) throw new RlpError("rlp: nested too deeply");
  const values: RlpValue[] = [];
  for (let at = item.start; at < item.end; ) {
    const next = readItem(bytes, at, item.end);
    values.push(readValue(bytes, next, depth + 1));
    at = next.end;
  }
  return values;
}

/** The one value that the whole of `bytes` encodes. Throws `RlpError` on anything but canonical RLP. */
export function rlpDecode(bytes: Uint8Array): RlpValue {
  const item = readItem(bytes, 0, bytes.length);
  if (item.end !== bytes.length) throw new RlpError("rlp: bytes left over");
  return readValue(bytes, item, 0);
}
