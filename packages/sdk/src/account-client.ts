/** The client's part for accounts: asking for access, prices, money, the bound wallet, usage. */
import type {
  AccessAck,
  AccessRequestBody,
  AccessResource,
  AccountResource,
  LedgerPage,
  QuoteResource,
  UsageResource,
  WalletAnswer,
} from "@cairn/api";
import type { Address, Hex } from "@cairn/primitives";
import { type Connection, exchangeJson, type KeyOption, queryOf } from "./http.ts";

/** Signs EIP-712 typed data as `eth_signTypedData_v4` does; 65 bytes in 0x-hex. */
export type SignTypedData = (typedData: unknown) => Promise<Hex>;

/** Accounts of the proof service. Every call throws `ServiceProblem` or `ServiceUnreachable`. */
export interface AccountClient {
  /** Needs no token; a key has at least 16 characters. The answer's `claim_secret` claims the key later. */
  requestAccess(body: AccessRequestBody, o?: KeyOption): Promise<AccessAck>;
  /** The first answer after the approval has the API key, no later one does. */
  accessRequest(id: string, claimSecret: string): Promise<AccessResource>;
  quote(o: { readonly system: string; readonly curve?: string }): Promise<QuoteResource>;
  account(): Promise<AccountResource>;
  ledger(o?: { readonly cursor?: string; readonly limit?: number }): Promise<LedgerPage>;
  /** Days as `2026-11-01`. */
  usage(o?: { readonly from?: string; readonly to?: string }): Promise<UsageResource>;
  /** Proves control of a wallet by a signed challenge and binds it; answers the wallet that is bound. */
  bindWallet(address: Address, sign: SignTypedData): Promise<string>;
}

/** Makes the part. */
export function accountClient(connection: Connection): AccountClient {
  const bind = (body: object): Promise<WalletAnswer> =>
    exchangeJson(connection, { method: "POST", path: "v1/account/wallet", body });
  return {
    requestAccess: (body, o) => exchangeJson(connection, { method: "POST", path: "v1/access-requests", body, ...o }),
    accessRequest: (id, claimSecret) =>
      exchangeJson({ ...connection, token: claimSecret }, { path: `v1/access-requests/${encodeURIComponent(id)}` }),
    quote: (o) => exchangeJson(connection, { path: `v1/quote${queryOf(o)}` }),
    account: () => exchangeJson(connection, { path: "v1/account" }),
    ledger: (o) => exchangeJson(connection, { path: `v1/account/ledger${queryOf(o)}` }),
    usage: (o) => exchangeJson(connection, { path: `v1/account/usage${queryOf(o)}` }),
    bindWallet: async (address, sign) => {
      const { challenge, wallet } = await bind({ address });
      if (challenge === undefined) return wallet ?? "";
      const signature = await sign(challenge.typed_data);
      return (await bind({ address, nonce: challenge.nonce, signature })).wallet ?? "";
    },
  };
}
