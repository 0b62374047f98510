/** Owns personal messages (EIP-191, version 0x45): their hash, signatures over them, and who signed. */
import { type Address, bigintToBytes, concatBytes, keccak256 } from "@cairn/primitives";
import { recoverAddress, type Signature, signHash } from "./account-key.ts";

const TEXT = new TextEncoder();

function word(n: bigint): Uint8Array {
  const bytes = bigintToBytes(n);
  const padded = new Uint8Array(32);
  padded.set(bytes, 32 - bytes.length);
  return padded;
}

/** `r ‖ s ‖ v`, 65 bytes, with v 27 or 28. */
export function encodeSignature({ r, s, yParity }: Signature): Uint8Array {
  return concatBytes(word(r), word(s), Uint8Array.of(27 + yParity));
}

/** keccak("\x19Ethereum Signed Message:\n" ‖ length ‖ message). */
export function messageHash(message: Uint8Array): Uint8Array {
  return keccak256(concatBytes(TEXT.encode(`\x19Ethereum Signed Message:\n${message.length}`), message));
}

/** Signs a personal message: 65 bytes `r ‖ s ‖ v` with v 27 or 28. */
export function signMessage(key: Uint8Array, message: Uint8Array): Uint8Array {
  return encodeSignature(signHash(key, messageHash(message)));
}

/** Who signed a personal message with a 65-byte signature of v 27 or 28; undefined when nobody can have. */
export function recoverMessageSigner(message: Uint8Array, signature: Uint8Array): Address | undefined {
  return recoverAddress(messageHash(message), signature.subarray(0, 64), (signature[64] ?? 0) - 27);
}
