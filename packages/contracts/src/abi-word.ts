/** 32-byte words of the contract ABI. Owns their padding and checks; not which words a call has. */
import { fromHex, type Hex } from "./hex.ts";

/** Bytes of a word. */
export const WORD = 32;

/** An unsigned integer as a word. Throws RangeError when it needs more than `bits`. */
export function uintWord(value: bigint, bits = 256): Uint8Array {
  if (value < 0n || value >> BigInt(bits) !== 0n) throw new RangeError(`not a uint${bits}`);
  return fromHex(`0x${value.toString(16).padStart(2 * WORD, "0")}`);
}

/** An address (20 bytes of hex) as a word. Throws RangeError. */
export function addressWord(address: Hex): Uint8Array {
  const bytes = fromHex(address);
  if (bytes.length !== 20) throw new RangeError("not an address");
  return padLeft(bytes);
}

/** Bytes at the right end of a word; at most 32. */
export function padLeft(bytes: Uint8Array): Uint8Array {
  const word = new Uint8Array(WORD);
  word.set(bytes, WORD - bytes.length);
  return word;
}

/** The parts in one array. */
export function join(parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}

/** `bytes` as the ABI writes them in the tail: length, then the bytes padded to whole words. */
export function dynamicBytes(bytes: Uint8Array): readonly Uint8Array[] {
  const padding = new Uint8Array((WORD - (bytes.length % WORD)) % WORD);
  return [uintWord(BigInt(bytes.length)), bytes, padding];
}

/** The unsigned integer of the word at a byte offset; undefined beyond the data or for more than `bits`. */
export function readUint(data: Uint8Array, offset: number, bits = 256): bigint | undefined {
  if (offset + WORD > data.length) return undefined;
  let value = 0n;
  for (const byte of data.subarray(offset, offset + WORD)) value = (value << 8n) | BigInt(byte);
  return value >> BigInt(bits) === 0n ? value : undefined;
}

/** `bytes` whose head word stands at an offset; undefined when they do not lie whole within the data. */
export function readDynamicBytes(data: Uint8Array, headOffset: number): Uint8Array | undefined {
  const tail = readUint(data, headOffset, 32);
  const length = tail === undefined ? undefined : readUint(data, Number(tail), 32);
  if (tail === undefined || length === undefined) return undefined;
  const start = Number(tail) + WORD;
  const end = start + Number(length);
  return end <= data.length ? data.slice(start, end) : undefined;
}
