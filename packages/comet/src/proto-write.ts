/**
 * Canonical protobuf writing as CometBFT's gogoproto does it: fields in order, zero scalars left out, non-nullable
 * messages always written. Every field number in use is below 16, so a tag is one byte.
 */
import { concat, EMPTY } from "./bytes.ts";

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const MAX_EXACT = BigInt(Number.MAX_SAFE_INTEGER);
const encoder = new TextEncoder();

/** Length of the varint of a non-negative number below 2^53. */
export function varintLength(value: number): number {
  let length = 1;
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) length++;
  return length;
}

/** Writes the varint of a non-negative number below 2^53 at an offset; returns the offset behind it. */
export function writeVarint(out: Uint8Array, offset: number, value: number): number {
  let at = offset;
  let rest = value;
  while (rest >= 128) {
    out[at++] = (rest % 128) | 128;
    rest = Math.floor(rest / 128);
  }
  out[at++] = rest;
  return at;
}

/** Varint of an int64; negative values take ten bytes (two's complement). */
export function varint(value: bigint): Uint8Array {
  if (value >= 0n && value <= MAX_EXACT) {
    const small = Number(value);
    const out = new Uint8Array(varintLength(small));
    writeVarint(out, 0, small);
    return out;
  }
  const out: number[] = [];
  let rest = BigInt.asUintN(64, value);
  while (rest >= 128n) {
    out.push(Number(rest & 127n) | 128);
    rest >>= 7n;
  }
  out.push(Number(rest));
  return Uint8Array.from(out);
}

/** int32, int64, uint32, uint64 or enum field; nothing for zero. */
export function intField(field: number, value: bigint | number): Uint8Array {
  const int = BigInt(value);
  return int === 0n ? EMPTY : concat([Uint8Array.of((field << 3) | VARINT), varint(int)]);
}

/** sfixed64 field (little endian); nothing for zero. */
export function fixed64Field(field: number, value: bigint): Uint8Array {
  if (value === 0n) return EMPTY;
  const out = new Uint8Array(9);
  out[0] = (field << 3) | FIXED64;
  new DataView(out.buffer).setBigInt64(1, value, true);
  return out;
}

/** A message field that is written even when empty. */
export function messageField(field: number, message: Uint8Array): Uint8Array {
  const head = new Uint8Array(1 + varintLength(message.length));
  head[0] = (field << 3) | BYTES;
  writeVarint(head, 1, message.length);
  return concat([head, message]);
}

/** bytes field; nothing for the empty byte string. */
export function bytesField(field: number, bytes: Uint8Array): Uint8Array {
  return bytes.length === 0 ? EMPTY : messageField(field, bytes);
}

/** string field; nothing for the empty string. */
export function stringField(field: number, text: string): Uint8Array {
  return bytesField(field, encoder.encode(text));
}

/** Length in bytes of a message that has only one repeated bytes field. */
export function repeatedBytesLength(items: readonly Uint8Array[]): number {
  let length = 0;
  for (const item of items) length += 1 + varintLength(item.length) + item.length;
  return length;
}

/** Writes a repeated bytes field at an offset; returns the offset behind it. */
export function writeRepeatedBytes(
  out: Uint8Array,
  offset: number,
  field: number,
  items: readonly Uint8Array[],
): number {
  let at = offset;
  for (const item of items) {
    out[at++] = (field << 3) | BYTES;
    at = writeVarint(out, at, item.length);
    out.set(item, at);
    at += item.length;
  }
  return at;
}
