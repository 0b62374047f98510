/** Owns the choice of the hash functions' implementation: @noble/hashes, audited and without native code. */
import { sha256 as nobleSha256 } from "@noble/hashes/sha2.js";
import { keccak_256 } from "@noble/hashes/sha3.js";

/** Keccak-256 as Ethereum uses it (not the standardised SHA3-256): 32 bytes. */
export function keccak256(bytes: Uint8Array): Uint8Array {
  return keccak_256(bytes);
}

/** SHA-256: 32 bytes. */
export function sha256(bytes: Uint8Array): Uint8Array {
  return nobleSha256(bytes);
}
