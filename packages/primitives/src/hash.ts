/**
 * Owns the choice of the hash functions' implementation: Node's own SHA-256 where there is one, else @noble/hashes,
 * audited and without native code.
 */
import { sha256 as nobleSha256 } from "@noble/hashes/sha2.js";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { builtinModule } from "./platform.ts";

/** A hash function: any number of bytes to 32. */
export type HashFunction = (bytes: Uint8Array) => Uint8Array;

let keccak: HashFunction = keccak_256;

/** Keccak-256 as Ethereum uses it (not the standardised SHA3-256): 32 bytes. */
export function keccak256(bytes: Uint8Array): Uint8Array {
  return keccak(bytes);
}

/** Puts a faster Keccak-256 in the place of the portable one, for the whole process. */
export function replaceKeccak256(implementation: HashFunction): void {
  keccak = implementation;
}

/** SHA-256: 32 bytes. */
export const sha256: HashFunction = nodeSha256() ?? ((bytes) => nobleSha256(bytes));

interface NodeCrypto {
  hash(algorithm: "sha256", data: Uint8Array, encoding: "buffer"): Uint8Array;
}

function nodeSha256(): HashFunction | undefined {
  const crypto = builtinModule("node:crypto") as NodeCrypto | undefined;
  if (crypto === undefined) return undefined;
  return (bytes) => {
    const { buffer, byteOffset, length } = crypto.hash("sha256", bytes, "buffer");
    return new Uint8Array(buffer, byteOffset, length);
  };
}
