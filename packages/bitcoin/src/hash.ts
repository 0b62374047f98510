/** Bitcoin's hash and the two orders in which a hash is written. */
import { sha256 } from "@noble/hashes/sha2.js";
import { BitcoinFormatError } from "./format-error.ts";
import { decodeHex, encodeHex } from "./hex.ts";

/** SHA-256 of SHA-256: Bitcoin's hash of transactions, headers and Merkle nodes. */
export function sha256d(bytes: Uint8Array): Uint8Array {
  return sha256(sha256(bytes));
}

/** A 32-byte hash in internal order as people see it: reversed, hex, no 0x. */
export function displayHash(hash: Uint8Array): string {
  return encodeHex(Uint8Array.from(hash).reverse());
}

/** The internal order of a hash in display order. Throws `bad-hex`, `bad-length`. */
export function parseDisplayHash(text: string): Uint8Array {
  const bytes = decodeHex(text);
  if (bytes.length !== 32) throw new BitcoinFormatError("bad-length", "a hash has 32 bytes");
  return bytes.reverse();
}
