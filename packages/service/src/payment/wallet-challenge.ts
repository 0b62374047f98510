/**
 * Proving control of a wallet: a challenge of EIP-712 typed data, good once, for one account and wallet, for ten
 * minutes. Kept in memory: after a restart the caller asks again. Does not bind.
 */
import { recoverTypedDataSigner } from "@cairn/keystore";
import { type Address, bytesToHex, type Hash, type Hex, hexToBytes } from "@cairn/primitives";

/** What the wallet is to sign. */
export interface WalletChallenge {
  readonly nonce: Hash;
  readonly expiresAtMs: number;
  /** As `eth_signTypedData_v4` takes it. */
  readonly typedData: object;
}

/** Why a signature binds nothing. */
export type ChallengeFault = "unknown-challenge" | "wrong-signer";

/** Open challenges. */
export interface WalletChallenges {
  /** Makes one in place of the account's earlier one. */
  issue(account: string, wallet: Address, nowMs: number): WalletChallenge;
  /** Uses a challenge up; undefined: the wallet signed it. */
  answer(o: {
    readonly account: string;
    readonly wallet: Address;
    readonly nonce: string;
    readonly signature: Hex;
    readonly nowMs: number;
  }): ChallengeFault | undefined;
}

const LIFETIME_MS = 10 * 60_000;
const MAX_OPEN = 10_000;

/** Challenges of one service. `randomNonce` gives 32 bytes. */
export function createWalletChallenges(o: {
  readonly environment: string;
  readonly chainId: bigint;
  readonly randomNonce: () => Uint8Array;
}): WalletChallenges {
  const open = new Map<string, WalletChallenge & { readonly wallet: Address }>();
  return {
    issue: (account, wallet, nowMs) => {
      const nonce = bytesToHex(o.randomNonce());
      const expiresAtMs = nowMs + LIFETIME_MS;
      const typedData = typedDataOf(o, { account, wallet, nonce, expiresAtMs });
      open.delete(account);
      const [oldest] = open.keys();
      if (open.size >= MAX_OPEN && oldest !== undefined) open.delete(oldest);
      open.set(account, { nonce, expiresAtMs, typedData, wallet });
      return { nonce, expiresAtMs, typedData };
    },
    answer: ({ account, wallet, nonce, signature, nowMs }) => {
      const challenge = open.get(account);
      if (challenge?.nonce !== nonce || challenge.wallet !== wallet || nowMs >= challenge.expiresAtMs) {
        return "unknown-challenge";
      }
      open.delete(account);
      const signer = recoverTypedDataSigner(challenge.typedData, hexToBytes(signature));
      return signer === wallet ? undefined : "wrong-signer";
    },
  };
}

const TYPES = {
  EIP712Domain: [
    { name: "name", type: "string" },
    { name: "version", type: "string" },
    { name: "chainId", type: "uint256" },
  ],
  BindWallet: [
    { name: "environment", type: "string" },
    { name: "account", type: "string" },
    { name: "wallet", type: "address" },
    { name: "nonce", type: "bytes32" },
    { name: "expiresAt", type: "uint256" },
  ],
} as const;

function typedDataOf(
  o: { readonly environment: string; readonly chainId: bigint },
  m: { readonly account: string; readonly wallet: Address; readonly nonce: Hash; readonly expiresAtMs: number },
): object {
  return {
    types: TYPES,
    primaryType: "BindWallet",
    domain: { name: "Cairn proof service", version: "1", chainId: Number(o.chainId) },
    message: {
      environment: o.environment,
      account: m.account,
      wallet: m.wallet,
      nonce: m.nonce,
      expiresAt: String(Math.floor(m.expiresAtMs / 1_000)),
    },
  };
}
