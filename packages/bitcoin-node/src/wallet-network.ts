/** What differs between networks for the anchor wallet. */
import type { WalletNetwork } from "./types.ts";

const TEST = { bech32: "tb", pubKeyHash: 0x6f, scriptHash: 0xc4, wif: 0xef };

/** Address prefixes by network. */
export const ADDRESS_PREFIXES = {
  mainnet: { bech32: "bc", pubKeyHash: 0x00, scriptHash: 0x05, wif: 0x80 },
  testnet4: TEST,
  signet: TEST,
  regtest: { ...TEST, bech32: "bcrt" },
} as const satisfies Record<WalletNetwork, typeof TEST>;
