/**
 * The application interface of ABCI 2.0 as CometBFT v0.38 calls it. An engine guarantees the order
 * Info, InitChain (once), then per height PrepareProposal (proposer only), ProcessProposal, FinalizeBlock, Commit;
 * Info and CheckTx may come at any time between them.
 */

/** Seconds since 1970 (may be negative) and nanoseconds 0 to 999,999,999, as in google.protobuf.Timestamp. */
export interface Timestamp {
  readonly seconds: bigint;
  readonly nanos: number;
}

/** One attribute of an event; `index`: searches and subscriptions may use it. */
export interface AbciEventAttribute {
  readonly key: string;
  readonly value: string;
  readonly index: boolean;
}

/** What a block or a transaction tells of itself, by type and attributes. */
export interface AbciEvent {
  readonly type: string;
  readonly attributes: readonly AbciEventAttribute[];
}

/** Only `code`, `data`, `gasWanted` and `gasUsed` are covered by last_results_hash. */
export interface ExecTxResult {
  readonly code: number;
  readonly data: Uint8Array;
  readonly log: string;
  readonly info: string;
  readonly gasWanted: bigint;
  readonly gasUsed: bigint;
  readonly events: readonly AbciEvent[];
  readonly codespace: string;
}

/** `power` 0 removes the validator. Updates returned at H act from H+2. */
export interface ValidatorUpdate {
  readonly pubKeyType: "ed25519" | "secp256k1";
  readonly pubKey: Uint8Array;
  readonly power: bigint;
}

/** Parameters of consensus; an absent part stays as it is. `maxGas` −1: no limit. */
export interface ConsensusParams {
  readonly block?: { readonly maxBytes: bigint; readonly maxGas: bigint };
  readonly evidence?: {
    readonly maxAgeNumBlocks: bigint;
    readonly maxAgeDurationNs: bigint;
    readonly maxBytes: bigint;
  };
  readonly validator?: { readonly pubKeyTypes: readonly string[] };
  readonly version?: { readonly app: bigint };
  readonly abci?: { readonly voteExtensionsEnableHeight: bigint };
}

/** `blockIdFlag`: 1 absent, 2 commit, 3 nil. `address` is the 20-byte consensus address. */
export interface VoteInfo {
  readonly address: Uint8Array;
  readonly power: bigint;
  readonly blockIdFlag: 1 | 2 | 3;
}

/** Who voted for the previous block, in the order of its validator set. */
export interface CommitInfo {
  readonly round: number;
  readonly votes: readonly VoteInfo[];
}

/** Evidence against a validator. `type`: 1 duplicate vote, 2 light client attack. */
export interface Misbehavior {
  readonly type: 1 | 2;
  readonly validator: { readonly address: Uint8Array; readonly power: bigint };
  readonly height: bigint;
  readonly time: Timestamp;
  readonly totalVotingPower: bigint;
}

/** Versions of the engine that asks. */
export interface InfoRequest {
  readonly version: string;
  readonly blockVersion: bigint;
  readonly p2pVersion: bigint;
  readonly abciVersion: string;
}

/** Where the application stands; `lastBlockAppHash` is that of `lastBlockHeight`. */
export interface InfoResponse {
  readonly data: string;
  readonly version: string;
  readonly appVersion: bigint;
  /** 0 before InitChain. */
  readonly lastBlockHeight: bigint;
  readonly lastBlockAppHash: Uint8Array;
}

/** The genesis, once in a chain's life. */
export interface InitChainRequest {
  readonly time: Timestamp;
  readonly chainId: string;
  readonly consensusParams?: ConsensusParams;
  readonly validators: readonly ValidatorUpdate[];
  /** The `app_state` member of genesis.json as JSON text bytes. */
  readonly appStateBytes: Uint8Array;
  readonly initialHeight: bigint;
}

/** What the application makes of the genesis; `appHash` goes into the header of the first block. */
export interface InitChainResponse {
  readonly consensusParams?: ConsensusParams;
  /** Empty keeps the genesis set. */
  readonly validators: readonly ValidatorUpdate[];
  readonly appHash: Uint8Array;
}

/** A transaction that wants into the pool, or stays there after a block (`recheck`). */
export interface CheckTxRequest {
  readonly tx: Uint8Array;
  readonly type: "new" | "recheck";
}

/** `code` 0: the pool takes it. */
export interface CheckTxResponse {
  readonly code: number;
  readonly data: Uint8Array;
  readonly log: string;
  readonly info: string;
  readonly gasWanted: bigint;
  readonly gasUsed: bigint;
  readonly events: readonly AbciEvent[];
  readonly codespace: string;
}

/** What the proposer has to choose from. */
export interface PrepareProposalRequest {
  /** Bound on the sum of the protobuf sizes of the returned transactions, in bytes. */
  readonly maxTxBytes: bigint;
  readonly txs: readonly Uint8Array[];
  readonly localLastCommit: CommitInfo;
  readonly misbehavior: readonly Misbehavior[];
  readonly height: bigint;
  readonly time: Timestamp;
  readonly nextValidatorsHash: Uint8Array;
  readonly proposerAddress: Uint8Array;
}

/** Answer of ProcessProposal: the block may be voted for. */
export const PROPOSAL_ACCEPT = 1;

/** Answer of ProcessProposal: the block is invalid. */
export const PROPOSAL_REJECT = 2;

/** A proposed block, before it is voted for. */
export interface ProcessProposalRequest {
  readonly txs: readonly Uint8Array[];
  readonly proposedLastCommit: CommitInfo;
  readonly misbehavior: readonly Misbehavior[];
  /** The 32-byte consensus block hash. */
  readonly hash: Uint8Array;
  readonly height: bigint;
  readonly time: Timestamp;
  readonly nextValidatorsHash: Uint8Array;
  readonly proposerAddress: Uint8Array;
}

/** A decided block; `hash` is the 32-byte consensus block hash. */
export interface FinalizeBlockRequest {
  readonly txs: readonly Uint8Array[];
  readonly decidedLastCommit: CommitInfo;
  readonly misbehavior: readonly Misbehavior[];
  readonly hash: Uint8Array;
  readonly height: bigint;
  readonly time: Timestamp;
  readonly nextValidatorsHash: Uint8Array;
  readonly proposerAddress: Uint8Array;
}

/** What a block did; `appHash` goes into the header of the next height. */
export interface FinalizeBlockResponse {
  readonly events: readonly AbciEvent[];
  /** As many as transactions, in their order. */
  readonly txResults: readonly ExecTxResult[];
  readonly validatorUpdates: readonly ValidatorUpdate[];
  readonly consensusParamUpdates?: ConsensusParams;
  readonly appHash: Uint8Array;
}

/** Answer of Commit: the block is durable. */
export interface CommitResponse {
  /** Blocks below may be pruned; 0 keeps all. */
  readonly retainHeight: bigint;
}

/** A question about the state at `height`, 0 for the newest. */
export interface QueryRequest {
  readonly data: Uint8Array;
  readonly path: string;
  readonly height: bigint;
  readonly prove: boolean;
}

/** `code` 0: `key` and `value` answer it. */
export interface QueryResponse {
  readonly code: number;
  readonly log: string;
  readonly info: string;
  readonly index: bigint;
  readonly key: Uint8Array;
  readonly value: Uint8Array;
  readonly height: bigint;
  readonly codespace: string;
}

/** Nothing is durable before `commit`; `finalizeBlock` of the same block may be called again after a crash. */
export interface AbciApplication {
  info(request: InfoRequest): Promise<InfoResponse>;
  initChain(request: InitChainRequest): Promise<InitChainResponse>;
  checkTx(request: CheckTxRequest): Promise<CheckTxResponse>;
  prepareProposal(request: PrepareProposalRequest): Promise<{ readonly txs: readonly Uint8Array[] }>;
  /** Resolves with PROPOSAL_ACCEPT or PROPOSAL_REJECT. Repeatable. */
  processProposal(request: ProcessProposalRequest): Promise<typeof PROPOSAL_ACCEPT | typeof PROPOSAL_REJECT>;
  finalizeBlock(request: FinalizeBlockRequest): Promise<FinalizeBlockResponse>;
  commit(): Promise<CommitResponse>;
  query(request: QueryRequest): Promise<QueryResponse>;
}
