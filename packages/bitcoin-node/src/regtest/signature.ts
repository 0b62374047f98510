/** Signatures of inputs, checked as consensus does. */
import { type BitcoinTransaction, equalBytes, p2wpkhKeyHash, serializeStripped } from "@cairn/bitcoin";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { ripemd160 } from "@noble/hashes/legacy.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { Transaction } from "@scure/btc-signer";

const SIGHASH_TYPES = new Set([0x01, 0x02, 0x03, 0x81, 0x82, 0x83]);

/**
 * Whether input `index` satisfies the output it spends. Only P2WPKH (BIP 141, BIP 143) is understood; `unsupported`
 * for every other script.
 */
export function checkInputSignature(
  tx: BitcoinTransaction,
  index: number,
  spent: { readonly script: Uint8Array; readonly valueSat: bigint },
): "valid" | "invalid" | "unsupported" {
  const keyHash = p2wpkhKeyHash(spent.script);
  const input = tx.inputs[index];
  if (keyHash === undefined || input === undefined) return "unsupported";
  const [signature, publicKey, ...rest] = input.witness;
  if (signature === undefined || publicKey === undefined || rest.length > 0) return "invalid";
  if (input.scriptSig.length !== 0 || publicKey.length !== 33) return "invalid";
  if (!equalBytes(ripemd160(sha256(publicKey)), keyHash)) return "invalid";
  const hashType = signature.at(-1) ?? 0;
  if (!SIGHASH_TYPES.has(hashType)) return "invalid";
  const message = signedHash(tx, { index, keyHash, hashType, valueSat: spent.valueSat });
  return verifyDer(signature.subarray(0, -1), message, publicKey) ? "valid" : "invalid";
}

function signedHash(
  tx: BitcoinTransaction,
  o: { index: number; keyHash: Uint8Array; hashType: number; valueSat: bigint },
): Uint8Array {
  const options = { allowUnknownOutputs: true, allowUnknownInputs: true, allowUnknownVersion: true };
  const unsigned = Transaction.fromRaw(serializeStripped(tx), { ...options, disableScriptCheck: true });
  const scriptCode = Uint8Array.of(0x76, 0xa9, 20, ...o.keyHash, 0x88, 0xac);
  return unsigned.preimageWitnessV0(o.index, scriptCode, o.hashType, o.valueSat);
}

function verifyDer(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
  try {
    return secp256k1.verify(signature, message, publicKey, { format: "der", lowS: true, prehash: false });
  } catch {
    return false;
  }
}
