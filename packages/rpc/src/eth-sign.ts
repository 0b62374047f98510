/** Owns the handlers of `eth` that sign with unlocked accounts, and who may use those. */
import { type CallContext, type ethSign, type Handlers, rpcError } from "@cairn/api";
import {
  encodeSignature,
  type SignedTransaction,
  signHash,
  signMessage,
  signTransaction,
  TypedDataError,
  type TypedDataVersion,
  typedDataHash,
  type UnsignedTransaction,
} from "@cairn/keystore";
import { type Address, bytesToHex, encodeTransaction, type Transaction, transactionHash } from "@cairn/primitives";
import { ofKeystore } from "./keystore-refusal.ts";
import type { RpcSettings } from "./options.ts";
import { signedTransaction } from "./pooled-json.ts";
import type { Sender } from "./sender.ts";

const LOOPBACK = /^(?:::ffff:)?127(?:\.\d{1,3}){3}$|^::1$/;

/** The answer of `eth_signTransaction`: raw bytes and transaction object. */
export function signedJson({ raw, tx, hash }: SignedTransaction): string {
  return JSON.stringify({ raw: bytesToHex(raw), tx: signedTransaction(tx, hash) });
}

/** The answer of `eth_fillTransaction`: like a signed one whose signature is zero. */
function unsignedJson(unsigned: UnsignedTransaction): string {
  const tx: Transaction =
    unsigned.type === 0 ? { ...unsigned, v: 0n, r: 0n, s: 0n } : { ...unsigned, yParity: 0, r: 0n, s: 0n };
  const raw = encodeTransaction(tx);
  return signedJson({ tx, raw, hash: transactionHash(raw) });
}

/** Unlocked accounts are for callers on this machine and for operators. */
function checkCaller({ remoteAddress, authorization }: CallContext, settings: RpcSettings): void {
  if (settings.allowInsecureUnlock || authorization !== undefined || LOOPBACK.test(remoteAddress)) return;
  throw rpcError("unauthorized", {});
}

function digestOf(document: unknown, version: TypedDataVersion): Uint8Array {
  try {
    return typedDataHash(document, version);
  } catch (error) {
    if (error instanceof TypedDataError) throw rpcError("invalid-argument", { index: 1, fault: error.message });
    throw error;
  }
}

/** The handlers of the signing part of `eth`. */
export function ethSignHandlers(settings: RpcSettings, sender: Sender): Handlers<typeof ethSign> {
  const { keystore } = settings;
  const signing = <T>(address: Address, use: (key: Uint8Array) => T): Promise<T> =>
    ofKeystore(keystore.withUnlocked(address, use));
  const typed =
    (version: TypedDataVersion) =>
    async ([address, document]: readonly [Address, unknown], context: CallContext): Promise<string> => {
      checkCaller(context, settings);
      const digest = digestOf(document, version);
      return `"${bytesToHex(await signing(address, (key) => encodeSignature(signHash(key, digest))))}"`;
    };
  return {
    eth_sign: async ([address, message], context) => {
      checkCaller(context, settings);
      return `"${bytesToHex(await signing(address, (key) => signMessage(key, message)))}"`;
    },
    eth_signTypedData: typed("v4"),
    eth_signTypedData_v3: typed("v3"),
    eth_signTypedData_v4: typed("v4"),
    eth_signTransaction: async ([tx], context) => {
      checkCaller(context, settings);
      const sign = (unsigned: Parameters<typeof signTransaction>[1]) =>
        signing(tx.from, (key) => signTransaction(key, unsigned));
      return signedJson(await sender.sign(tx, sign));
    },
    eth_fillTransaction: async ([tx]) => unsignedJson(await sender.fill(tx)),
    eth_sendTransaction: async ([tx], context) => {
      checkCaller(context, settings);
      // Before any work: an account that is locked or not ours.
      await signing(tx.from, () => undefined);
      return `"${await sender.send(tx, (unsigned) => signing(tx.from, (key) => signTransaction(key, unsigned)))}"`;
    },
  };
}
