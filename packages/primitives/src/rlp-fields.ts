/** Owns reading typed fields out of decoded RLP lists; shared by transactions, headers and receipts. */
import { type Address, bytesToHex, type Hash, type Hex } from "./hex.ts";
import { bytesToBigint } from "./quantity.ts";
import { RlpError, type RlpValue } from "./rlp.ts";

/** A list, of exactly `length` values when that is given. */
export function asList(value: RlpValue | undefined, length?: number): readonly RlpValue[] {
  if (value === undefined || value instanceof Uint8Array) throw new RlpError("rlp: expected a list");
  if (length !== undefined && value.length !== length) throw new RlpError("rlp: wrong number of fields");
  return value;
}

/** A byte string, of exactly `length` bytes when that is given. */
export function asBytes(value: RlpValue | undefined, length?: number): Uint8Array {
  if (!(value instanceof Uint8Array)) throw new RlpError("rlp: expected bytes");
  if (length !== undefined && value.length !== length) throw new RlpError("rlp: wrong length of a field");
  return value;
}

/** Byte string as hex data. */
export function asHex(value: RlpValue | undefined, length?: number): Hex {
  return bytesToHex(asBytes(value, length));
}

/** An integer of at most `bits` bits in its minimal form. */
export function asInteger(value: RlpValue | undefined, bits: 8 | 64 | 256): bigint {
  const bytes = asBytes(value);
  if (bytes[0] === 0) throw new RlpError("rlp: integer with leading zeros");
  if (bytes.length * 8 > bits) throw new RlpError("rlp: integer too large");
  return bytesToBigint(bytes);
}

/** 32 bytes. */
export function asHash(value: RlpValue | undefined): Hash {
  return asHex(value, 32);
}

/** 20 bytes. */
export function asAddress(value: RlpValue | undefined): Address {
  return asHex(value, 20);
}
