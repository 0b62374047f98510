/** Signing EIP-1559 transactions with one key. Owns the key; decides neither nonce nor fees. */
import {
  type Address,
  bigintToBytes,
  bytesToBigint,
  bytesToHex,
  concatBytes,
  encodeTransaction,
  type Hash,
  hexToBytes,
  keccak256,
  rlpEncode,
} from "@cairn/primitives";
import { secp256k1 } from "@noble/curves/secp256k1.js";

/** A transaction to be signed. */
export interface UnsignedTransaction {
  readonly chainId: bigint;
  readonly nonce: bigint;
  readonly maxPriorityFeePerGasWei: bigint;
  readonly maxFeePerGasWei: bigint;
  readonly gasLimit: bigint;
  readonly to: Address;
  readonly valueWei: bigint;
  readonly data: Uint8Array;
}

/** Signs with one secp256k1 key. */
export interface TransactionSigner {
  readonly address: Address;
  sign(tx: UnsignedTransaction): { readonly raw: Uint8Array; readonly hash: Hash };
}

/** Makes a signer of a 32-byte secret key; throws on a key outside the group. */
export function createTransactionSigner(privateKey: Uint8Array): TransactionSigner {
  const key = Uint8Array.from(privateKey);
  const publicKey = secp256k1.getPublicKey(key, false).subarray(1);
  return {
    address: bytesToHex(keccak256(publicKey).subarray(12)),
    sign: (tx) => {
      const signature = secp256k1.sign(signingHash(tx), key, { prehash: false, format: "recovered" });
      const raw = encodeTransaction({
        type: 2,
        ...tx,
        accessList: [],
        yParity: signature[0] ?? 0,
        r: bytesToBigint(signature.subarray(1, 33)),
        s: bytesToBigint(signature.subarray(33, 65)),
      });
      return { raw, hash: bytesToHex(keccak256(raw)) };
    },
  };
}

/** keccak(0x02 ‖ rlp of the fields without the signature), EIP-1559. */
function signingHash(tx: UnsignedTransaction): Uint8Array {
  const fees = [tx.maxPriorityFeePerGasWei, tx.maxFeePerGasWei].map(bigintToBytes);
  const head = [bigintToBytes(tx.chainId), bigintToBytes(tx.nonce), ...fees, bigintToBytes(tx.gasLimit)];
  const fields = [...head, hexToBytes(tx.to), bigintToBytes(tx.valueWei), tx.data, []];
  return keccak256(concatBytes(Uint8Array.of(2), rlpEncode(fields)));
}

/** Address that a settler key signs for: what a genesis funds. */
export function settlerAddress(settlerKey: Uint8Array): Address {
  return createTransactionSigner(settlerKey).address;
}
