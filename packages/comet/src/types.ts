/**
 * Consensus types of CometBFT v0.38 (`proto/tendermint/types`). Heights and powers are bigint, byte strings
 * Uint8Array, an absent hash is the empty byte string.
 */

/** Seconds since 1970 (may be negative) and nanoseconds 0 to 999,999,999, as in google.protobuf.Timestamp. */
export interface Timestamp {
  readonly seconds: bigint;
  readonly nanos: number;
}

/** Root over the 65,536-byte parts of a block's bytes, and how many there are. */
export interface PartSetHeader {
  readonly total: number;
  readonly hash: Uint8Array;
}

/** Header hash and part set of a block; both empty for "no block". */
export interface BlockId {
  readonly hash: Uint8Array;
  readonly parts: PartSetHeader;
}

/** A block header. `version.block` is 11 in v0.38; `version.app` the application's protocol. */
export interface Header {
  readonly version: { readonly block: bigint; readonly app: bigint };
  readonly chainId: string;
  readonly height: bigint;
  readonly time: Timestamp;
  readonly lastBlockId: BlockId;
  readonly lastCommitHash: Uint8Array;
  readonly dataHash: Uint8Array;
  readonly validatorsHash: Uint8Array;
  readonly nextValidatorsHash: Uint8Array;
  readonly consensusHash: Uint8Array;
  readonly appHash: Uint8Array;
  readonly lastResultsHash: Uint8Array;
  readonly evidenceHash: Uint8Array;
  readonly proposerAddress: Uint8Array;
}

/** 1 absent, 2 commit (for the block), 3 nil (for no block). */
export type BlockIdFlag = 1 | 2 | 3;

/** One validator's part of a commit. An absent one has empty address and signature and the zero time. */
export interface CommitSig {
  readonly blockIdFlag: BlockIdFlag;
  readonly validatorAddress: Uint8Array;
  readonly timestamp: Timestamp;
  readonly signature: Uint8Array;
}

/** Precommits for one block, in the order of the validator set. */
export interface Commit {
  readonly height: bigint;
  readonly round: number;
  readonly blockId: BlockId;
  readonly signatures: readonly CommitSig[];
}

/** A public key of a validator: 32 bytes ed25519 or 33 bytes compressed secp256k1. */
export interface PublicKey {
  readonly type: "ed25519" | "secp256k1";
  readonly bytes: Uint8Array;
}

/** One member of a validator set. `address` follows from the key; `proposerPriority` is covered by no hash. */
export interface Validator {
  readonly address: Uint8Array;
  readonly pubKey: PublicKey;
  readonly power: bigint;
  readonly proposerPriority: bigint;
}

/** 1 prevote, 2 precommit. */
export type VoteType = 1 | 2;

/** A signed vote as evidence carries it. */
export interface Vote {
  readonly type: VoteType;
  readonly height: bigint;
  readonly round: number;
  readonly blockId: BlockId;
  readonly timestamp: Timestamp;
  readonly validatorAddress: Uint8Array;
  readonly validatorIndex: number;
  readonly signature: Uint8Array;
  readonly extension: Uint8Array;
  readonly extensionSignature: Uint8Array;
}

/** Two votes of one validator for different blocks at the same height and round. */
export interface DuplicateVoteEvidence {
  readonly kind: "duplicate-vote";
  readonly voteA: Vote;
  readonly voteB: Vote;
  readonly totalVotingPower: bigint;
  readonly validatorPower: bigint;
  readonly timestamp: Timestamp;
}

/** Evidence of a light client attack, kept as the bytes of its protobuf message. */
export interface LightClientAttackEvidence {
  readonly kind: "light-client-attack";
  readonly bytes: Uint8Array;
}

/** Proof of a validator's misbehaviour. */
export type Evidence = DuplicateVoteEvidence | LightClientAttackEvidence;

/** A whole block. In the first block `lastCommit` is empty (height 0, no signatures). */
export interface Block {
  readonly header: Header;
  readonly txs: readonly Uint8Array[];
  readonly evidence: readonly Evidence[];
  readonly lastCommit: Commit;
}

/** What `last_results_hash` covers of one transaction's result. */
export interface TxResultDigest {
  readonly code: number;
  readonly data: Uint8Array;
  readonly gasWanted: bigint;
  readonly gasUsed: bigint;
}
