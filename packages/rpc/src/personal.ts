/** Owns the handlers of `personal`: accounts of the key store and software wallets. Nothing here logs parameters. */
import { type Handlers, type personal, rpcError, type TransactionParam } from "@cairn/api";
import {
  type Keystore,
  type KeystoreAccount,
  parseWalletUrl,
  recoverMessageSigner,
  signMessage,
  signTransaction,
  walletUrl,
} from "@cairn/keystore";
import { bytesToHex, toChecksumAddress } from "@cairn/primitives";
import { signedJson } from "./eth-sign.ts";
import { ofKeystore } from "./keystore-refusal.ts";
import type { Sender, Sign } from "./sender.ts";

type PersonalHandlers = Handlers<typeof personal>;

const UNTIL_EXIT = 0;

/** JSON text of the addresses of the key store, each once. */
export async function accountsJson(keystore: Keystore): Promise<string> {
  const accounts = await ofKeystore(keystore.accounts());
  return JSON.stringify([...new Set(accounts.map(({ address }) => address))]);
}

function accountHandlers(keystore: Keystore) {
  return {
    personal_listAccounts: () => accountsJson(keystore),
    personal_newAccount: async ([password]) => `"${toChecksumAddress(await ofKeystore(keystore.create(password)))}"`,
    personal_importRawKey: async ([key, password]) =>
      `"${await ofKeystore(keystore.importKey(key, password).finally(() => key.fill(0)))}"`,
    personal_unlockAccount: async ([address, password, seconds]) => {
      await ofKeystore(keystore.unlock(address, password, Number(seconds)), "no-key-file");
      return "true";
    },
    personal_lockAccount: ([address]) => {
      keystore.lock(address);
      return "true";
    },
  } satisfies Partial<PersonalHandlers>;
}

function signingHandlers(keystore: Keystore, sender: Sender) {
  /** Calls `use` with a signer that the password opens, and that is gone afterwards. */
  const withSigner = <T>({ from }: TransactionParam, password: string, use: (sign: Sign) => Promise<T>): Promise<T> =>
    ofKeystore(
      keystore.withPassphrase(from, password, (key) => use(async (unsigned) => signTransaction(key, unsigned))),
    );
  const send = async ([tx, password]: readonly [TransactionParam, string]): Promise<string> =>
    `"${await withSigner(tx, password, (sign) => sender.send(tx, sign))}"`;
  return {
    personal_sendTransaction: send,
    personal_signAndSendTransaction: send,
    personal_signTransaction: async ([tx, password]) =>
      signedJson(await withSigner(tx, password, (sign) => sender.sign(tx, sign))),
    personal_sign: async ([message, address, password]) => {
      const sign = (key: Uint8Array) => signMessage(key, message);
      const signed =
        password === undefined
          ? keystore.withUnlocked(address, sign)
          : keystore.withPassphrase(address, password, sign);
      return `"${bytesToHex(await ofKeystore(signed))}"`;
    },
    personal_ecRecover: ([message, signature]) => {
      if (signature.length !== 65) throw rpcError("signature-length", {});
      if (signature[64] !== 27 && signature[64] !== 28) throw rpcError("signature-v", {});
      const signer = recoverMessageSigner(message, signature);
      if (signer === undefined) throw rpcError("recovery-failed", {});
      return `"${signer}"`;
    },
  } satisfies Partial<PersonalHandlers>;
}

function walletJson({ address, wallet, file, isUnlocked }: KeystoreAccount): object {
  const url = wallet === undefined ? `keystore://${file}` : walletUrl(wallet);
  return { url, status: isUnlocked ? "Unlocked" : "Locked", accounts: [{ address, url }] };
}

function walletHandlers(keystore: Keystore) {
  return {
    personal_listWallets: async () => JSON.stringify((await ofKeystore(keystore.accounts())).map(walletJson)),
    personal_initializeWallet: async ([url]) => {
      const wallet = parseWalletUrl(url);
      if (wallet?.pairing === undefined) throw rpcError("wallet-initialization", {});
      const { name, pairing } = wallet;
      const address = await ofKeystore(keystore.create(pairing, name));
      await ofKeystore(keystore.unlock(address, pairing, UNTIL_EXIT));
      return `"${await ofKeystore(keystore.withUnlocked(address, bytesToHex))}"`;
    },
    personal_openWallet: async ([url, password]) => {
      const wallet = parseWalletUrl(url);
      if (wallet === undefined) throw rpcError("unknown-wallet", {});
      const { address } = await ofKeystore(keystore.wallet(wallet.name));
      await ofKeystore(keystore.unlock(address, password ?? wallet.pairing ?? "", UNTIL_EXIT));
      return "null";
    },
    personal_unpair: async ([url, password]) => {
      const wallet = parseWalletUrl(url);
      if (wallet === undefined) throw rpcError("wallet-pairing", {});
      const { address } = await ofKeystore(keystore.wallet(wallet.name));
      await ofKeystore(keystore.withPassphrase(address, password, () => keystore.lock(address)));
      return "null";
    },
  } satisfies Partial<PersonalHandlers>;
}

/** The handlers of `personal`. */
export function personalHandlers(keystore: Keystore, sender: Sender): PersonalHandlers {
  return { ...accountHandlers(keystore), ...signingHandlers(keystore, sender), ...walletHandlers(keystore) };
}
