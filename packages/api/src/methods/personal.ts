/** Owns the table of `personal`, whose methods are private. */
import { address, count, data, string } from "../codecs.ts";
import { method, optional, type Param, refused, required } from "../method.ts";
import { results } from "../shapes.ts";
import { privateKey, transactionObject } from "../transaction-object.ts";

const SPEC = "chain-node: Personal";
const DEFAULT_UNLOCK_SECONDS = 300n;
const access = "private";
const passwordErrors = ["wrong-password", "password-delay", "busy"] as const;

const ofAddress = required("address", address);
const withPassword = required("password", string);
const ofTransaction = required("transaction", transactionObject);
const url: Param<string> = required("url", string);

/** The `personal` namespace. */
export const personal = {
  personal_listAccounts: method({
    params: [],
    result: results.addresses,
    access,
    summary: "Accounts the node holds keys of.",
    spec: SPEC,
  }),
  personal_newAccount: method({
    params: [withPassword],
    result: results.address,
    access,
    errors: ["busy"],
    summary: "Makes a key, stores it encrypted with the password, answers its address.",
    spec: SPEC,
  }),
  personal_importRawKey: method({
    params: [required("privateKey", privateKey), withPassword],
    result: results.address,
    access,
    errors: ["account-exists", "invalid-private-key", "busy"],
    summary: "Stores a private key (hex, with or without 0x) encrypted with the password.",
    spec: SPEC,
  }),
  personal_unlockAccount: method({
    params: [ofAddress, withPassword, optional("seconds", count, DEFAULT_UNLOCK_SECONDS)],
    result: results.boolean,
    access,
    errors: ["no-key-file", "unlock-too-long", ...passwordErrors],
    summary: "Holds the key in memory for 300 seconds or as many as given; 0: until the node exits.",
    spec: SPEC,
  }),
  personal_lockAccount: method({
    params: [ofAddress],
    result: results.boolean,
    access,
    summary: "Forgets the key of an account; true also when it was locked.",
    spec: SPEC,
  }),
  personal_sendTransaction: method({
    params: [ofTransaction, withPassword],
    result: results.hash,
    access,
    errors: ["unknown-account", ...passwordErrors],
    summary: "Signs with the password and sends, as eth_sendTransaction; the account stays locked.",
    spec: SPEC,
  }),
  personal_signAndSendTransaction: method({
    params: [ofTransaction, withPassword],
    result: results.hash,
    access,
    errors: ["unknown-account", ...passwordErrors],
    summary: "The older name of personal_sendTransaction.",
    spec: "geth",
  }),
  personal_signTransaction: method({
    params: [ofTransaction, withPassword],
    result: results.signedTransaction,
    access,
    errors: ["unknown-account", ...passwordErrors],
    summary: "Signs with the password without sending, as eth_signTransaction.",
    spec: "geth",
  }),
  personal_sign: method({
    params: [required("message", data), ofAddress, optional("password", string, undefined)],
    result: results.data,
    access,
    errors: ["unknown-account", "account-locked", ...passwordErrors],
    summary:
      "Signs a personal message (EIP-191) with the password; v is 27 or 28. Without one the account must be unlocked.",
    spec: SPEC,
  }),
  personal_ecRecover: method({
    params: [required("message", data), required("signature", data)],
    result: results.address,
    access,
    errors: ["signature-length", "signature-v", "recovery-failed"],
    summary: "The address that made a signature of personal_sign.",
    spec: SPEC,
  }),
  personal_listWallets: method({
    params: [],
    result: results.wallets,
    access,
    summary: "Key files and software wallets with their accounts.",
    spec: "geth",
  }),
  personal_initializeWallet: method({
    params: [url],
    result: results.hash,
    access,
    errors: ["wallet-initialization", "wallet-exists", "busy"],
    summary: "Makes the software wallet soft://<name>?pairing=<password>, unlocks it and answers its new private key.",
    spec: SPEC,
  }),
  personal_openWallet: method({
    params: [url, optional("password", string, undefined)],
    result: results.null,
    access,
    errors: ["unknown-wallet", ...passwordErrors],
    summary: "Pairs with a software wallet again: unlocks it until it is unpaired or the node exits.",
    spec: "geth",
  }),
  personal_deriveAccount: refused("every account of this node is a key of its own: there are no hierarchical wallets"),
  personal_unpair: method({
    params: [url, withPassword],
    result: results.null,
    access,
    errors: ["wallet-pairing", "unknown-wallet", ...passwordErrors],
    summary: "Checks the pairing password of a software wallet and forgets its key; the file stays.",
    spec: SPEC,
  }),
};
