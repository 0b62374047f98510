/** The integrator's wallet on disk: geth's key files in a directory of its own. Owns choosing and opening one. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  decryptKeyFile,
  encodeSignature,
  openKeystore,
  parseKeyFile,
  STANDARD_COST,
  signHash,
  signTransaction,
  typedDataHash,
} from "@cairn/keystore";
import { type Address, bytesToHex, hexToBytes, toChecksumAddress } from "@cairn/primitives";
import type { SignTypedData, VaultSigner } from "@cairn/sdk";
import { CommandError, EXIT } from "./exit-code.ts";
import { readPassphrase } from "./passphrase.ts";

/** Options that name a wallet. */
export interface WalletFlags {
  readonly walletDir: string;
  readonly address?: string;
  readonly passwordFile?: string;
}

/** Where wallets stand unless a flag says otherwise. */
export const DEFAULT_WALLET_DIR = process.env.CAIRN_WALLET_DIR ?? `${process.env.HOME ?? "."}/.cairn/wallet`;

interface WalletFile {
  readonly address: Address;
  readonly file: string;
}

/** The wallet that is meant: the one named, or the only one. Throws CommandError. */
export async function chooseWallet(flags: WalletFlags): Promise<WalletFile> {
  const keystore = await openKeystore({ dir: flags.walletDir, cost: STANDARD_COST });
  const wallets = await keystore.accounts().finally(() => keystore.close());
  const wanted = flags.address?.toLowerCase();
  const fitting = wallets.filter(({ address }) => wanted === undefined || address === wanted);
  const [only] = fitting;
  if (only !== undefined && fitting.length === 1)
    return { address: only.address, file: join(flags.walletDir, only.file) };
  const known = wallets.map(({ address }) => toChecksumAddress(address)).join(", ");
  if (only !== undefined) throw new CommandError(`several wallets: name one with --address (${known})`, EXIT.usage);
  const have = wallets.length === 0 ? "make one with: cairn wallet create" : `there are ${known}`;
  throw new CommandError(`no such wallet in ${flags.walletDir}: ${have}`, EXIT.usage);
}

/** Opens a wallet with its password and signs with it; the key is wiped by `close`. */
export async function openSigner(
  flags: WalletFlags,
): Promise<VaultSigner & { readonly signTypedData: SignTypedData; close(): void }> {
  const { address, file } = await chooseWallet(flags);
  const passphrase = await readPassphrase({ file: flags.passwordFile, isNew: false });
  const key = await decryptKeyFile(parseKeyFile(readFileSync(file, "utf8")), passphrase);
  return {
    address,
    sign: async (tx) => {
      const fees = { maxPriorityFeePerGasWei: tx.maxPriorityFeePerGas, maxFeePerGasWei: tx.maxFeePerGas };
      const target = { to: tx.to, valueWei: tx.value, data: hexToBytes(tx.data), accessList: [] };
      const { chainId, nonce, gas: gasLimit } = tx;
      const signed = signTransaction(key, { type: 2, chainId, nonce, gasLimit, ...fees, ...target });
      return bytesToHex(signed.raw);
    },
    signTypedData: async (document) => bytesToHex(encodeSignature(signHash(key, typedDataHash(document)))),
    close: () => void key.fill(0),
  };
}
