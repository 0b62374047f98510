/** Owns secp256k1: addresses of keys, signatures over 32-byte hashes, and who made a signature. */
import { type Address, bytesToBigint, bytesToHex, keccak256 } from "@cairn/primitives";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { KeystoreError } from "./keystore-error.ts";

/** A signature with the parity of its point; `s` is in the lower half (EIP-2). */
export interface Signature {
  readonly r: bigint;
  readonly s: bigint;
  readonly yParity: number;
}

function publicKeyAddress(uncompressed: Uint8Array): Address {
  return bytesToHex(keccak256(uncompressed.subarray(1)).subarray(12));
}

/** The address of a 32-byte private key, in lower case. Throws `KeystoreError` `invalid-key`. */
export function keyAddress(key: Uint8Array): Address {
  if (!secp256k1.utils.isValidSecretKey(key)) throw new KeystoreError("invalid-key", "not a private key of secp256k1");
  return publicKeyAddress(secp256k1.getPublicKey(key, false));
}

/** A new random private key. */
export function createKey(): Uint8Array {
  return secp256k1.utils.randomSecretKey();
}

/** Signs a 32-byte hash; deterministic (RFC 6979). */
export function signHash(key: Uint8Array, hash: Uint8Array): Signature {
  const signature = secp256k1.sign(hash, key, { prehash: false, format: "recovered" });
  return {
    yParity: signature[0] ?? 0,
    r: bytesToBigint(signature.subarray(1, 33)),
    s: bytesToBigint(signature.subarray(33, 65)),
  };
}

/** The address whose key made the signature `r ‖ s` over a hash; undefined when there is none. */
export function recoverAddress(hash: Uint8Array, rs: Uint8Array, yParity: number): Address | undefined {
  const recovered = new Uint8Array(65);
  recovered[0] = yParity;
  recovered.set(rs, 1);
  try {
    const compressed = secp256k1.recoverPublicKey(recovered, hash, { prehash: false });
    return publicKeyAddress(secp256k1.Point.fromBytes(compressed).toBytes(false));
  } catch {
    return undefined;
  }
}
