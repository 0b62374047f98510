/** Who signed typed data (EIP-712). Owns which forms of a signature count. */
import { type Address, bytesToBigint } from "@cairn/primitives";
import { recoverAddress } from "./account-key.ts";
import { typedDataHash } from "./typed-data.ts";

const SIGNATURE_BYTES = 65;
/** Half of secp256k1's order: signatures with a larger s are the same ones over again (EIP-2). */
const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

/**
 * The signer of a document in version 4 by a signature `r ‖ s ‖ v` with v 27, 28, 0 or 1; undefined when nobody can
 * have made it, or when its s is in the upper half. Throws `TypedDataError` for what is no document.
 */
export function recoverTypedDataSigner(document: unknown, signature: Uint8Array): Address | undefined {
  const hash = typedDataHash(document);
  const v = signature[SIGNATURE_BYTES - 1] ?? 0;
  const yParity = v >= 27 ? v - 27 : v;
  if (signature.length !== SIGNATURE_BYTES || yParity > 1) return undefined;
  if (bytesToBigint(signature.subarray(32, 64)) > HALF_ORDER) return undefined;
  return recoverAddress(hash, signature.subarray(0, 64), yParity);
}
