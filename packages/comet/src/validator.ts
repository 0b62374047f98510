/** Validators: addresses, the order of a set and its hash. */
import { ripemd160 } from "@noble/hashes/legacy.js";
import { bytesEqual, concat } from "./bytes.ts";
import { CometError } from "./error.ts";
import { merkleRoot } from "./merkle.ts";
import { bytesField, intField, messageField } from "./proto-write.ts";
import { type Sha256, sha256 } from "./sha256.ts";
import type { PublicKey, Validator } from "./types.ts";

const ADDRESS_LENGTH = 20;
const KEY_LENGTH = { ed25519: 32, secp256k1: 33 } as const;

/** 20-byte address of an ed25519 key: the first bytes of its SHA-256. Throws CometError `invalid-value`. */
export function consensusAddress(pubKey: Uint8Array): Uint8Array {
  if (pubKey.length !== KEY_LENGTH.ed25519) throw new CometError("invalid-value", "expected a 32-byte ed25519 key");
  return sha256(pubKey).slice(0, ADDRESS_LENGTH);
}

/** 20-byte address of a public key of either type. Throws CometError `invalid-value`. */
export function publicKeyAddress(key: PublicKey): Uint8Array {
  if (key.type === "ed25519") return consensusAddress(key.bytes);
  if (key.bytes.length !== KEY_LENGTH.secp256k1) throw new CometError("invalid-value", "expected a 33-byte key");
  return ripemd160(sha256(key.bytes));
}

/** A validator from its key and power. Throws CometError `invalid-value` on a key of the wrong length. */
export function createValidator(pubKey: PublicKey, power: bigint): Validator {
  return { address: publicKeyAddress(pubKey), pubKey, power, proposerPriority: 0n };
}

/** The order of a validator set: power descending, then address ascending. */
export function orderValidators(validators: readonly Validator[]): readonly Validator[] {
  return [...validators].sort((a, b) => {
    if (a.power !== b.power) return a.power > b.power ? -1 : 1;
    for (let i = 0; i < ADDRESS_LENGTH; i++) {
      const difference = (a.address[i] ?? 0) - (b.address[i] ?? 0);
      if (difference !== 0) return difference;
    }
    return 0;
  });
}

/** `validators_hash` of a set in its given order. */
export function validatorsHash(validators: readonly Validator[], hash: Sha256 = sha256): Uint8Array {
  const leaves = validators.map((validator) => {
    const key = bytesField(validator.pubKey.type === "ed25519" ? 1 : 2, validator.pubKey.bytes);
    return concat([messageField(1, key), intField(2, validator.power)]);
  });
  return merkleRoot(leaves, hash);
}

/** Whether a validator's key has its type's length and its address is that key's. */
export function hasOwnAddress(validator: Validator): boolean {
  if (validator.pubKey.bytes.length !== KEY_LENGTH[validator.pubKey.type]) return false;
  return bytesEqual(validator.address, publicKeyAddress(validator.pubKey));
}
