/** The next block of a chain, built from its state: pure, so that the same inputs give the same bytes. */
import {
  addNanos,
  type Block,
  type BlockId,
  type Commit,
  commitHash,
  compareTimestamps,
  consensusParamsHash,
  dataHashOf,
  decodeBlock,
  encodeBlock,
  evidenceHash,
  headerHash,
  makePartSet,
  NO_BLOCK_ID,
  type Sha256,
  type Timestamp,
  validatorsHash,
} from "@cairn/comet";
import type { EngineState } from "./state.ts";

/** Block protocol of CometBFT v0.38. */
export const BLOCK_VERSION = 11n;
const MILLISECOND_NANOS = 1_000_000n;

/** The empty last commit of the first block. */
export const NO_COMMIT: Commit = { height: 0n, round: 0, blockId: NO_BLOCK_ID, signatures: [] };

/** A block with its bytes, its id and the SHA-256 of each transaction. */
export interface SealedBlock {
  readonly block: Block;
  readonly bytes: Uint8Array;
  readonly id: BlockId;
  readonly txHashes: readonly Uint8Array[];
}

/** Time of the next block: the genesis time for the first, else that of the one precommit in the last commit. */
export function nextBlockTime(state: EngineState, lastCommit: Commit): Timestamp {
  return lastCommit.signatures[0]?.timestamp ?? state.lastBlockTime;
}

/** Time of the vote for a block: now, at least one millisecond after the block. */
export function voteTime(blockTime: Timestamp, now: Timestamp): Timestamp {
  const earliest = addNanos(blockTime, MILLISECOND_NANOS);
  return compareTimestamps(now, earliest) > 0 ? now : earliest;
}

/** Builds and seals the next block. `lastCommit` is {@link NO_COMMIT} for the first. */
export function makeBlock(
  state: EngineState,
  lastCommit: Commit,
  txs: readonly Uint8Array[],
  hash: Sha256,
): SealedBlock {
  const txHashes = txs.map(hash);
  const block: Block = {
    header: {
      version: { block: BLOCK_VERSION, app: state.appVersion },
      chainId: state.chainId,
      height: state.lastBlockHeight + 1n,
      time: nextBlockTime(state, lastCommit),
      lastBlockId: state.lastBlockId,
      lastCommitHash: commitHash(lastCommit, hash),
      dataHash: dataHashOf(txHashes, hash),
      validatorsHash: validatorsHash(state.validators, hash),
      nextValidatorsHash: validatorsHash(state.nextValidators, hash),
      consensusHash: consensusParamsHash(state.params.block, hash),
      appHash: state.appHash,
      lastResultsHash: state.lastResultsHash,
      evidenceHash: evidenceHash([], hash),
      proposerAddress: state.validators[0]?.address ?? new Uint8Array(0),
    },
    txs,
    evidence: [],
    lastCommit,
  };
  return seal(block, encodeBlock(block), txHashes, hash);
}

function seal(block: Block, bytes: Uint8Array, txHashes: readonly Uint8Array[], hash: Sha256): SealedBlock {
  return {
    block,
    bytes,
    txHashes,
    id: { hash: headerHash(block.header, hash), parts: makePartSet(bytes, hash).header },
  };
}

/** Opens stored block bytes. Throws CometError `invalid-encoding` on damaged ones. */
export function openBlock(bytes: Uint8Array, hash: Sha256): SealedBlock {
  const block = decodeBlock(bytes);
  return seal(block, bytes, block.txs.map(hash), hash);
}

/** Whether a stored proposal is the block that follows from this state and commit, whatever its transactions. */
export function follows(sealed: SealedBlock, state: EngineState, lastCommit: Commit, hash: Sha256): boolean {
  const expected = makeBlock(state, lastCommit, sealed.block.txs, hash);
  return Buffer.compare(expected.bytes, sealed.bytes) === 0;
}
