/**
 * The anchor's key and the one transaction it signs: chained input first, change, OP_RETURN. Owns keys and bytes; which
 * coin is spent, when, and for what fee is the caller's decision.
 */
import {
  decodeHex,
  displayHash,
  equalBytes,
  opReturnScript,
  parseDisplayHash,
  parseTransaction,
  transactionId,
  transactionVsize,
} from "@cairn/bitcoin";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { p2wpkh, Transaction } from "@scure/btc-signer";
import type { AnchorTransaction, AnchorWallet, Coin, WalletNetwork } from "./types.ts";
import { ADDRESS_PREFIXES } from "./wallet-network.ts";

/** Below this a P2WPKH output is not relayed. */
export const DUST_SAT = 294n;

/** Signals replaceability (BIP 125) and keeps lock times in force. */
export const ANCHOR_SEQUENCE = 0xfffffffd;

/** Why no anchor was built. */
export class WalletError extends Error {
  readonly code: "dust-change" | "bad-data" | "bad-fee" | "bad-key";
  constructor(code: "dust-change" | "bad-data" | "bad-fee" | "bad-key", message: string) {
    super(message);
    this.name = "WalletError";
    this.code = code;
  }
}

/** A wallet over one P2WPKH key. Throws `bad-key`. */
export function createAnchorWallet(o: { privateKey: Uint8Array; network: WalletNetwork }): AnchorWallet {
  if (!secp256k1.utils.isValidSecretKey(o.privateKey)) throw new WalletError("bad-key", "not a secp256k1 secret key");
  const privateKey = Uint8Array.from(o.privateKey);
  const payment = p2wpkh(secp256k1.getPublicKey(privateKey, true), ADDRESS_PREFIXES[o.network]);
  const { script } = payment;
  const { address } = payment;
  if (address === undefined) throw new WalletError("bad-key", "the key has no address");
  return {
    network: o.network,
    address,
    scriptPubKey: script,
    buildAnchor: (anchor) => buildAnchor({ privateKey, script, ...anchor }),
  };
}

/** Whether a compressed public key's P2WPKH script is this one. */
export function isKeyOf(publicKey: Uint8Array, script: Uint8Array): boolean {
  return secp256k1.utils.isValidPublicKey(publicKey, true) && equalBytes(p2wpkh(publicKey).script, script);
}

function buildAnchor(o: { privateKey: Uint8Array } & UnsignedAnchor): AnchorTransaction {
  const unsigned = buildUnsigned(o);
  unsigned.sign(o.privateKey);
  unsigned.finalize();
  const rawTx = unsigned.extract();
  const tx = parseTransaction(rawTx);
  const txid = displayHash(transactionId(tx));
  const changeValueSat = tx.outputs[0]?.valueSat ?? 0n;
  const change = { txid, vout: 0, valueSat: changeValueSat };
  return { rawTx, txid, vsize: transactionVsize(tx), feeSat: o.feeSat, changeValueSat, change, dataOutput: 1 };
}

interface UnsignedAnchor {
  /** Of every input and of the change. */
  readonly script: Uint8Array;
  readonly input: Coin;
  readonly extraInputs?: readonly Coin[];
  readonly data: Uint8Array;
  readonly feeSat: bigint;
}

/** An anchor without signatures: chained input first, further inputs, change, OP_RETURN. Throws `WalletError`. */
export function buildUnsigned(o: UnsignedAnchor): Transaction {
  if (o.data.length < 1 || o.data.length > 40) throw new WalletError("bad-data", "OP_RETURN data has 1 to 40 bytes");
  if (o.feeSat < 0n) throw new WalletError("bad-fee", "the fee is negative");
  const coins = [o.input, ...(o.extraInputs ?? [])];
  const changeValueSat = coins.reduce((sum, coin) => sum + coin.valueSat, 0n) - o.feeSat;
  if (changeValueSat < DUST_SAT)
    throw new WalletError("dust-change", `change of ${changeValueSat} sat would not be relayed`);
  return unsignedPayment({
    script: o.script,
    coins,
    outputs: [
      { script: o.script, amount: changeValueSat },
      { script: opReturnScript(o.data), amount: 0n },
    ],
  });
}

/** Signs a payment from coins of one P2WPKH key; inputs and outputs keep their order. */
export function signPayment(o: {
  privateKey: Uint8Array;
  script: Uint8Array;
  coins: readonly Coin[];
  outputs: readonly { script: Uint8Array; amount: bigint }[];
}): Uint8Array {
  const tx = unsignedPayment(o);
  tx.sign(o.privateKey);
  tx.finalize();
  return tx.extract();
}

function unsignedPayment(o: {
  readonly script: Uint8Array;
  readonly coins: readonly Coin[];
  readonly outputs: readonly { script: Uint8Array; amount: bigint }[];
}): Transaction {
  const tx = new Transaction({ version: 2, allowUnknownOutputs: true });
  for (const coin of o.coins) {
    tx.addInput({
      // btc-signer takes txids in display order.
      txid: decodeHex(displayHash(parseDisplayHash(coin.txid))),
      index: coin.vout,
      sequence: ANCHOR_SEQUENCE,
      witnessUtxo: { script: o.script, amount: coin.valueSat },
    });
  }
  for (const output of o.outputs) tx.addOutput(output);
  return tx;
}
