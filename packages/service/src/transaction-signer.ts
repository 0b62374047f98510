/** Signing EIP-1559 transactions with one key. Owns the key; decides neither nonce nor fees. */
import { keyAddress, type SignedTransaction, signTransaction, type UnsignedTransaction } from "@cairn/keystore";
import type { Address } from "@cairn/primitives";

/** A transaction to be signed. */
type FeeMarketDraft = Omit<Extract<UnsignedTransaction, { readonly type: 2 }>, "type" | "accessList">;

/** Signs with one secp256k1 key. */
export interface TransactionSigner {
  readonly address: Address;
  sign(tx: FeeMarketDraft): Pick<SignedTransaction, "raw" | "hash">;
}

/** Makes a signer of a 32-byte secret key. Throws `KeystoreError` on a key outside the group. */
export function createTransactionSigner(privateKey: Uint8Array): TransactionSigner {
  const key = Uint8Array.from(privateKey);
  return {
    address: keyAddress(key),
    sign: (tx) => signTransaction(key, { type: 2, ...tx, accessList: [] }),
  };
}

/** Address that a settler key signs for: what a genesis funds. */
export function settlerAddress(settlerKey: Uint8Array): Address {
  return keyAddress(settlerKey);
}
