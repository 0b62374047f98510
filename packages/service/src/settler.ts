/** The account that signs settlements. */
import type { Address } from "@cairn/primitives";
import { createTransactionSigner } from "./transaction-signer.ts";

/** Address of a settler's key of 32 bytes: what a genesis funds. */
export function settlerAddress(privateKey: Uint8Array): Address {
  return createTransactionSigner(privateKey).address;
}
