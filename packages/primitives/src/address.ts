/** Owns the text forms of addresses (EIP-55). Deriving an address from a key is the key store's. */
import { keccak256 } from "./hash.ts";
import { type Address, type Hex, HexError } from "./hex.ts";

const ASCII = new TextEncoder();

/** 20 zero bytes. */
export const ZERO_ADDRESS: Address = `0x${"0".repeat(40)}`;

/** Whether `text` is 20 bytes of hex data; a mixed-case spelling need not carry a right checksum. */
export function isAddress(text: string): text is Address {
  return /^0x[0-9a-fA-F]{40}$/.test(text);
}

/** The EIP-55 spelling. Throws `HexError` when the text is no address. */
export function toChecksumAddress(address: Address): Address {
  if (!isAddress(address)) throw new HexError("not an address");
  const digits = address.slice(2).toLowerCase();
  const hash = keccak256(ASCII.encode(digits));
  let text: Hex = "0x";
  for (let i = 0; i < digits.length; i++) {
    const byte = hash[i >> 1] ?? 0;
    const nibble = i % 2 === 0 ? byte >> 4 : byte & 15;
    const digit = digits.charAt(i);
    text += nibble >= 8 ? digit.toUpperCase() : digit;
  }
  return text as Address;
}
