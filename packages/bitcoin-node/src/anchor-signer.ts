/**
 * Who signs anchors: a key in this process, or an external signer that gets a PSBT. Whatever comes back is checked
 * against the template byte by byte: the chained outpoint first, own further inputs, own change, the expected data, a
 * fee below the cap. Owns no key of an external signer; which coins are spent is the caller's decision.
 */
import {
  type BitcoinTransaction,
  displayHash,
  equalBytes,
  opReturnData,
  parseTransaction,
  serializeStripped,
  transactionId,
  transactionVsize,
} from "@cairn/bitcoin";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { p2pkh, p2wpkh, SigHash, Transaction } from "@scure/btc-signer";
import { ANCHOR_SEQUENCE, buildUnsigned, DUST_SAT, WalletError } from "./anchor-wallet.ts";
import type { AnchorTransaction, AnchorWallet, Coin, WalletNetwork } from "./types.ts";
import { ADDRESS_PREFIXES } from "./wallet-network.ts";

/** An anchor to be signed: inputs are own and confirmed, or the chained one. */
export interface AnchorTemplate {
  /** The chained outpoint: always the first input. */
  readonly input: Coin;
  readonly extraInputs: readonly Coin[];
  readonly data: Uint8Array;
  readonly feeSat: bigint;
}

/** Signs anchors of one address. */
export interface AnchorSigner {
  readonly network: WalletNetwork;
  readonly address: string;
  readonly scriptPubKey: Uint8Array;
  /** Throws `WalletError` (`dust-change`, `bad-fee`) and `SignerError`. */
  sign(template: AnchorTemplate): Promise<AnchorTransaction>;
}

/** `unreachable`: no answer; `bad-answer`: no PSBT; `refused`: not what was asked for, or not signed. */
export class SignerError extends Error {
  override readonly name = "SignerError";
  readonly code: "unreachable" | "bad-answer" | "refused";
  constructor(code: "unreachable" | "bad-answer" | "refused", message: string) {
    super(`the anchor signer: ${message}`);
    this.code = code;
  }
}

/** A signer over a key in this process. `capSat`: no anchor pays more. */
export function createKeySigner(wallet: AnchorWallet, capSat: number): AnchorSigner {
  const { network, address, scriptPubKey } = wallet;
  return {
    ...{ network, address, scriptPubKey },
    sign: async (template) => {
      const signed = wallet.buildAnchor(template);
      checkAnchor(parseTransaction(signed.rawTx), { template, scriptPubKey, capSat });
      return signed;
    },
  };
}

/** A signer elsewhere: `exchange` hands over a PSBT in base64 and resolves with the signed one. */
export function createPsbtSigner(o: {
  /** Compressed, 33 bytes. Throws `bad-key` when it is no point. */
  readonly publicKey: Uint8Array;
  readonly network: WalletNetwork;
  readonly capSat: number;
  readonly exchange: (psbt: string) => Promise<string>;
}): AnchorSigner {
  const { script, address } = ownPayment(o.publicKey, o.network);
  return {
    network: o.network,
    address,
    scriptPubKey: script,
    sign: async (template) => {
      const unsigned = buildUnsigned({ script, ...template });
      const expected = serializeStripped(parseTransaction(unsigned.unsignedTx));
      checkAnchor(parseTransaction(expected), { template, scriptPubKey: script, capSat: o.capSat });
      const answer = await o.exchange(Buffer.from(unsigned.toPSBT()).toString("base64"));
      const rawTx = finalized(answer);
      const tx = parseTransaction(rawTx);
      if (!equalBytes(serializeStripped(tx), expected)) {
        throw new SignerError("refused", "it answered another transaction than it was asked to sign");
      }
      checkSignatures(unsigned, tx, { publicKey: o.publicKey, template });
      const txid = displayHash(transactionId(tx));
      const changeValueSat = tx.outputs[0]?.valueSat ?? 0n;
      const change = { txid, vout: 0, valueSat: changeValueSat };
      return {
        rawTx,
        txid,
        vsize: transactionVsize(tx),
        feeSat: template.feeSat,
        changeValueSat,
        change,
        dataOutput: 1,
      };
    },
  };
}

/** Address and script of a public key on a network. Throws `bad-key`. */
function ownPayment(publicKey: Uint8Array, network: WalletNetwork) {
  if (!secp256k1.utils.isValidPublicKey(publicKey, true))
    throw new WalletError("bad-key", "not a compressed public key");
  const { script, address } = p2wpkh(publicKey, ADDRESS_PREFIXES[network]);
  if (address === undefined) throw new WalletError("bad-key", "the key has no address");
  return { script, address };
}

/** What an anchor may look like. */
export interface AnchorRules {
  readonly template: AnchorTemplate;
  readonly scriptPubKey: Uint8Array;
  readonly capSat: number;
}

/** Throws `SignerError` `refused` for a transaction that is not exactly the template's. */
export function checkAnchor(tx: BitcoinTransaction, rules: AnchorRules): void {
  const fault = inputFault(tx, rules) ?? outputFault(tx, rules);
  if (fault !== undefined) throw new SignerError("refused", fault);
}

function inputFault(tx: BitcoinTransaction, { template }: AnchorRules): string | undefined {
  if (tx.lockTime !== 0 || tx.version !== 2) return "a lock time or another version";
  const coins = [template.input, ...template.extraInputs];
  if (tx.inputs.length !== coins.length) return "an input that the template does not have, or one less";
  for (const [index, coin] of coins.entries()) {
    const input = tx.inputs[index];
    if (input === undefined || displayHash(input.txid) !== coin.txid || input.vout !== coin.vout) {
      return index === 0 ? "the first input is not the chained one" : "a further input is not an own coin";
    }
    if (input.sequence !== ANCHOR_SEQUENCE) return "an input that cannot be replaced";
  }
  return undefined;
}

function outputFault(tx: BitcoinTransaction, { template, scriptPubKey, capSat }: AnchorRules): string | undefined {
  const [change, data, ...rest] = tx.outputs;
  if (change === undefined || data === undefined || rest.length > 0) return "other outputs than change and data";
  if (!equalBytes(change.scriptPubKey, scriptPubKey)) return "change that is not the wallet's";
  const carried = opReturnData(data.scriptPubKey);
  const isExpected = carried !== undefined && equalBytes(carried, template.data) && data.valueSat === 0n;
  if (!isExpected) return "data that is not the expected root's";
  const coins = [template.input, ...template.extraInputs];
  const feeSat = coins.reduce((sum, coin) => sum + coin.valueSat, 0n) - change.valueSat;
  if (feeSat !== template.feeSat) return "another fee than the template's";
  if (feeSat < 0n || feeSat > BigInt(capSat)) return `a fee above the cap of ${capSat} sat`;
  return change.valueSat < DUST_SAT ? "change that would not be relayed" : undefined;
}

function finalized(answer: string): Uint8Array {
  try {
    const signed = Transaction.fromPSBT(Buffer.from(answer.trim(), "base64"), { allowUnknownOutputs: true });
    if (!signed.isFinal) signed.finalize();
    return signed.extract();
  } catch {
    throw new SignerError("bad-answer", "it answered no signed PSBT");
  }
}

function checkSignatures(
  unsigned: Transaction,
  tx: BitcoinTransaction,
  o: { readonly publicKey: Uint8Array; readonly template: AnchorTemplate },
): void {
  const scriptCode = p2pkh(o.publicKey).script;
  for (const [index, coin] of [o.template.input, ...o.template.extraInputs].entries()) {
    const [signature, key] = tx.inputs[index]?.witness ?? [];
    const hash = unsigned.preimageWitnessV0(index, scriptCode, SigHash.ALL, coin.valueSat);
    if (signature === undefined || key === undefined || !isSigned(signature, hash, key, o.publicKey)) {
      throw new SignerError("refused", `its signature of input ${index} is not the wallet's`);
    }
  }
}

function isSigned(signature: Uint8Array, hash: Uint8Array, key: Uint8Array, publicKey: Uint8Array): boolean {
  if (!equalBytes(key, publicKey) || signature.at(-1) !== SigHash.ALL) return false;
  try {
    return secp256k1.verify(signature.subarray(0, -1), hash, publicKey, { prehash: false, format: "der" });
  } catch {
    return false;
  }
}
