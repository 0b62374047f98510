/** The chain: ABCI application, transaction pool, head feed, filters, genesis. */
export { APP_VERSION } from "./application.ts";
export type { BlockTag, Chain, ChainReads, HeadEvent, PendingEvent, PoolContent, PoolView } from "./chain.ts";
export { ChainError, type ChainErrorCode } from "./chain-error.ts";
export { type ChainOptions, createChain } from "./create-chain.ts";
export type { EthGenesis, GenesisAccount, GenesisAlloc } from "./eth-genesis.ts";
export type { FilterChanges, FilterCriteria, FilterRegistry, NewFilterOutcome } from "./filter-registry.ts";
export { DEFAULT_FILTER_LIMITS, type FilterKind, type FilterLimits } from "./filters.ts";
export {
  type BuildGenesisOptions,
  buildGenesis,
  DEFAULT_CHAIN_ID,
  type GenesisValidator,
} from "./genesis.ts";
export { GenesisError, parseGenesis, sameGenesis, validateGenesis } from "./genesis-parse.ts";
export { type HeadLog, headLogs, type LogCriteria, type LogMatcher, logMatcher } from "./head-log.ts";
export type { Log } from "./log.ts";
export { effectiveTipWei, type PooledTx, txCostWei } from "./pooled-tx.ts";
export { SANDBOX_ACCOUNTS, SANDBOX_BALANCE_WEI } from "./sandbox-accounts.ts";
export type { Accepted, Inadmissible, PoolRefusal, SubmissionClosed, SubmitOutcome } from "./submission.ts";
export { BEACON_ROOTS_ADDRESS, BLOCK_HASHES_ADDRESS } from "./system-contracts.ts";
export { txKeys } from "./tx-keys.ts";
export { CHECK_CODES } from "./tx-result.ts";
export { DEFAULT_POOL_LIMITS, type PoolLimits } from "./txpool/limits.ts";
