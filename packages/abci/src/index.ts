/**
 * ABCI 2.0: the messages between a consensus engine and an application, and the interface an application implements.
 * Owns the shapes (CometBFT v0.38 `proto/tendermint/abci/types.proto`), not their meaning. The socket server that
 * CometBFT dials comes with the CometBFT engine.
 */
export type {
  AbciApplication,
  AbciEvent,
  AbciEventAttribute,
  CheckTxRequest,
  CheckTxResponse,
  CommitInfo,
  CommitResponse,
  ConsensusParams,
  ExecTxResult,
  FinalizeBlockRequest,
  FinalizeBlockResponse,
  InfoRequest,
  InfoResponse,
  InitChainRequest,
  InitChainResponse,
  Misbehavior,
  PrepareProposalRequest,
  ProcessProposalRequest,
  QueryRequest,
  QueryResponse,
  Timestamp,
  ValidatorUpdate,
  VoteInfo,
} from "./application.ts";
export { PROPOSAL_ACCEPT, PROPOSAL_REJECT } from "./application.ts";
