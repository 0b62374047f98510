/**
 * The embedded single-validator engine, its block store and the consensus RPC. Sees an ABCI application and bytes; what
 * a transaction means is the application's.
 */
export {
  type BlockEvent,
  createEmbeddedEngine,
  type EmbeddedEngine,
  type EngineOptions,
  type EngineReads,
} from "./engine.ts";
export { ConsensusError, type ConsensusErrorCode } from "./errors.ts";
export {
  type CometGenesis,
  type Genesis,
  type GenesisValidator,
  loadGenesis,
  parseGenesis,
  writeGenesis,
} from "./genesis.ts";
export { type EngineHome, initHome, type NewHome } from "./home.ts";
export type { Log } from "./log.ts";
export { createNodeKey, loadNodeKey, nodeId } from "./node-key.ts";
export { createPrivValidatorKey, loadPrivValidator, type PrivValidator } from "./priv-validator.ts";
export { type ConsensusRpc, type ConsensusRpcOptions, createConsensusRpc } from "./rpc/server.ts";
export type { TxKeysPort } from "./tx-index.ts";
