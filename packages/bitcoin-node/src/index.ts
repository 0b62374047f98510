/** Bitcoin node client, anchor wallet and embedded regtest. Decides nothing about when to anchor. */
export { anchorVsize, bumpedFee, type FeePolicy, feeTarget, firstFee } from "./anchor-fee.ts";
export {
  type AnchorRules,
  type AnchorSigner,
  type AnchorTemplate,
  checkAnchor,
  createKeySigner,
  createPsbtSigner,
  SignerError,
} from "./anchor-signer.ts";
export { ANCHOR_SEQUENCE, createAnchorWallet, DUST_SAT, isKeyOf, WalletError } from "./anchor-wallet.ts";
export { createBitcoinRpc } from "./bitcoin-rpc.ts";
export {
  type ChainView,
  type ChainViewCode,
  ChainViewError,
  type ChainViewOptions,
  type ChainViewStatus,
  createChainView,
} from "./chain-view.ts";
export { type CoinSearch, findCoins } from "./coins.ts";
export { boundedText, type HttpEndpoint, httpEndpoint } from "./http-endpoint.ts";
export { createRegtest, NoRegtestError } from "./regtest/regtest.ts";
export { BitcoinRpcError, type BitcoinRpcErrorCode, isRpcCode } from "./rpc-error.ts";
export type * from "./types.ts";
