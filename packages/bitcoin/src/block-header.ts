/** The 80-byte block header and its proof of work. */
import { ByteReader } from "./byte-reader.ts";
import { concatBytes, u32le } from "./byte-writer.ts";
import { BitcoinFormatError } from "./format-error.ts";
import { sha256d } from "./hash.ts";

/** A block header; hashes in internal order, `time` in seconds. */
export interface BitcoinHeader {
  readonly version: number;
  readonly previous: Uint8Array;
  readonly merkleRoot: Uint8Array;
  readonly time: number;
  readonly bits: number;
  readonly nonce: number;
}

/** Parses exactly 80 bytes. Throws `bad-length`. */
export function parseHeader(bytes: Uint8Array): BitcoinHeader {
  if (bytes.length !== 80) throw new BitcoinFormatError("bad-length", "a block header has 80 bytes");
  const r = new ByteReader(bytes);
  return {
    version: r.i32(),
    previous: r.take(32),
    merkleRoot: r.take(32),
    time: r.u32(),
    bits: r.u32(),
    nonce: r.u32(),
  };
}

/** The 80 bytes. */
export function serializeHeader(h: BitcoinHeader): Uint8Array {
  return concatBytes(u32le(h.version), h.previous, h.merkleRoot, u32le(h.time), u32le(h.bits), u32le(h.nonce));
}

/** Block hash, internal order. */
export function headerHash(header: BitcoinHeader): Uint8Array {
  return sha256d(serializeHeader(header));
}

/** The target of compact `bits`; undefined when negative, zero or above 2^256. */
export function targetFromBits(bits: number): bigint | undefined {
  const exponent = bits >>> 24;
  const mantissa = bits & 0x7fffff;
  if ((bits & 0x800000) !== 0 || mantissa === 0) return undefined;
  const target =
    exponent <= 3 ? BigInt(mantissa) >> BigInt(8 * (3 - exponent)) : BigInt(mantissa) << BigInt(8 * (exponent - 3));
  return target === 0n || target >= 1n << 256n ? undefined : target;
}

/** A hash in internal order as the number that is compared with a target. */
export function hashToNumber(hash: Uint8Array): bigint {
  let value = 0n;
  for (let i = hash.length - 1; i >= 0; i -= 1) value = (value << 8n) | BigInt(hash[i] ?? 0);
  return value;
}

/** Whether the header meets the target it states and that target is no easier than `limitBits`. */
export function checkProofOfWork(header: BitcoinHeader, limitBits = 0x207fffff): boolean {
  const target = targetFromBits(header.bits);
  const limit = targetFromBits(limitBits);
  if (target === undefined || limit === undefined || target > limit) return false;
  return hashToNumber(headerHash(header)) <= target;
}

/** Expected number of hashes for a block of these `bits`: 2^256 / (target + 1); 0 for bits that state no target. */
export function workFromBits(bits: number): bigint {
  const target = targetFromBits(bits);
  return target === undefined ? 0n : (1n << 256n) / (target + 1n);
}
