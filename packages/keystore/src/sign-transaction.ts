/** Owns signing transactions of types 0 (bound to a chain, EIP-155), 1, 2 and 4. Decides no nonce, fee or gas. */
import {
  type AccessListTransaction,
  bytesToHex,
  concatBytes,
  encodeTransaction,
  type FeeMarketTransaction,
  type Hash,
  keccak256,
  type LegacyTransaction,
  rlpDecode,
  rlpEncode,
  type SetCodeTransaction,
  type Transaction,
} from "@cairn/primitives";
import { signHash } from "./account-key.ts";

/** A transaction before it is signed; a legacy one names its chain too. */
export type UnsignedTransaction =
  | (Omit<LegacyTransaction, "v" | "r" | "s"> & { readonly chainId: bigint })
  | Omit<AccessListTransaction, "yParity" | "r" | "s">
  | Omit<FeeMarketTransaction, "yParity" | "r" | "s">
  | Omit<SetCodeTransaction, "yParity" | "r" | "s">;

/** A signed transaction with its EIP-2718 bytes and their hash. */
export interface SignedTransaction {
  readonly tx: Transaction;
  readonly raw: Uint8Array;
  readonly hash: Hash;
}

const SIGNATURE_FIELDS = 3;

/** What the sender signs: the fields without signature; a legacy transaction ends in chain id, 0, 0. */
function signingHash(tx: UnsignedTransaction): Uint8Array {
  if (tx.type === 0) return keccak256(encodeTransaction({ ...tx, v: tx.chainId, r: 0n, s: 0n }));
  const fields = rlpDecode(encodeTransaction({ ...tx, yParity: 0, r: 0n, s: 0n }).subarray(1));
  if (fields instanceof Uint8Array) throw new TypeError("a transaction is a list");
  return keccak256(concatBytes(Uint8Array.of(tx.type), rlpEncode(fields.slice(0, -SIGNATURE_FIELDS))));
}

/** Signs a transaction. */
export function signTransaction(key: Uint8Array, unsigned: UnsignedTransaction): SignedTransaction {
  const { r, s, yParity } = signHash(key, signingHash(unsigned));
  const tx: Transaction =
    unsigned.type === 0
      ? { ...unsigned, v: 35n + 2n * unsigned.chainId + BigInt(yParity), r, s }
      : { ...unsigned, yParity, r, s };
  const raw = encodeTransaction(tx);
  return { tx, raw, hash: bytesToHex(keccak256(raw)) };
}
