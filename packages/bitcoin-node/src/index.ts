/** Bitcoin node client, anchor wallet and embedded regtest. Decides nothing about when to anchor. */
export { ANCHOR_SEQUENCE, createAnchorWallet, DUST_SAT, WalletError } from "./anchor-wallet.ts";
export { createBitcoinRpc } from "./bitcoin-rpc.ts";
export { createRegtest, NoRegtestError } from "./regtest/regtest.ts";
export { BitcoinRpcError, type BitcoinRpcErrorCode, isRpcCode } from "./rpc-error.ts";
export type * from "./types.ts";
