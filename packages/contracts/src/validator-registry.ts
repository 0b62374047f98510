/**
 * The storage of `ValidatorRegistry`: slot 0 owner; slot 1 mapping from consensus address to (pubKey; operator and
 * power; etherbase), three slots each; slot 2 list of consensus addresses. Genesis writes it, the chain reads it.
 */
import { keccak_256 } from "@noble/hashes/sha3.js";
import { addressWord, join, padLeft, uintWord } from "./abi-word.ts";
import { fromHex, type Hex, toHex } from "./hex.ts";

/** A validator as genesis names it. */
export interface GenesisValidator {
  /** 20 bytes: the first of the SHA-256 of the key. */
  readonly consensusAddress: Hex;
  /** 32-byte ed25519 key. */
  readonly pubKey: Hex;
  readonly power: bigint;
  /** May change the etherbase. */
  readonly operator: Hex;
  /** Receives the fees of its blocks; the zero address: the consensus address does. */
  readonly etherbase: Hex;
}

/** `setEtherbase(address,address)`. */
const SET_ETHERBASE = "0x1f56578f";

const OWNER_SLOT = 0n;
const VALIDATORS_SLOT = 1n;
const ADDRESSES_SLOT = 2n;

/** Storage slot of a validator's etherbase (20 bytes at the low end of the word), of a 20-byte consensus address. */
export function etherbaseSlot(consensusAddress: Uint8Array): Uint8Array {
  return uintWord(validatorSlot(consensusAddress) + 2n);
}

/** Storage slot of a validator's operator (20 bytes at the low end of the word), of a 20-byte consensus address. */
export function operatorSlot(consensusAddress: Uint8Array): Uint8Array {
  return uintWord(validatorSlot(consensusAddress) + 1n);
}

/** Call data of `setEtherbase`, which a validator's operator may send. Throws RangeError for what is no address. */
export function encodeSetEtherbaseCall(consensusAddress: Uint8Array, etherbase: Hex): Uint8Array {
  return join([fromHex(SET_ETHERBASE), addressWord(toHex(consensusAddress)), addressWord(etherbase)]);
}

/** Storage of a registry with this owner and these validators. Throws RangeError for values that do not fit. */
export function registryStorage(owner: Hex, validators: readonly GenesisValidator[]): Record<Hex, Hex> {
  const storage: Record<Hex, Hex> = {};
  const write = (slot: bigint, word: Uint8Array) => {
    if (word.some((byte) => byte !== 0)) storage[toHex(uintWord(slot))] = toHex(word);
  };
  write(OWNER_SLOT, addressWord(owner));
  write(ADDRESSES_SLOT, uintWord(BigInt(validators.length)));
  const firstAddress = toUint(keccak_256(uintWord(ADDRESSES_SLOT)));
  for (const [index, { consensusAddress, pubKey, power, operator, etherbase }] of validators.entries()) {
    const key = fromHex(pubKey);
    if (key.length !== 32) throw new RangeError("not an ed25519 key of 32 bytes");
    const slot = validatorSlot(fromHex(consensusAddress));
    write(slot, key);
    write(slot + 1n, uintWord((toUint(uintWord(power, 64)) << 160n) | toUint(addressWord(operator))));
    write(slot + 2n, addressWord(etherbase));
    write(firstAddress + BigInt(index), addressWord(consensusAddress));
  }
  return storage;
}

/** First slot of a validator: keccak of its address and the mapping's slot. */
function validatorSlot(consensusAddress: Uint8Array): bigint {
  if (consensusAddress.length !== 20) throw new RangeError("not a consensus address of 20 bytes");
  return toUint(keccak_256(join([padLeft(consensusAddress), uintWord(VALIDATORS_SLOT)])));
}

function toUint(bytes: Uint8Array): bigint {
  return BigInt(toHex(bytes));
}
