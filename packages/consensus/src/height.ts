/**
 * One height, from proposal to commit. The order is what makes a crash at any instant safe:
 *
 *   PrepareProposal → ProcessProposal → block durable → precommit signed (its state file durable first) →
 *   FinalizeBlock → commit, results, index and next state durable together → Commit
 *
 * A stored proposal that fits is taken up again, so a height has one block and one signature whatever happens.
 */

import type { Timestamp } from "@cairn/comet";
import { type Commit, dataSize, type Validator } from "@cairn/comet";
import type { Application } from "./application.ts";
import { ConsensusError } from "./errors.ts";
import { blockEvents } from "./events/block-events.ts";
import type { Published } from "./events/published.ts";
import { heightStarted, precommitSigned, proposalCompleted, roundStarted, type Step } from "./events/step-events.ts";
import type { Log } from "./log.ts";
import { follows, makeBlock, NO_COMMIT, openBlock, type SealedBlock, voteTime } from "./make-block.ts";
import { maxDataBytes } from "./params.ts";
import { platformSha256 } from "./platform-sha256.ts";
import type { PrivValidator } from "./priv-validator.ts";
import { blockResultToText, packResults } from "./results.ts";
import { type EngineState, nextState } from "./state.ts";
import type { BlockStore } from "./store.ts";
import type { TxKeysPort } from "./tx-index.ts";

const PRECOMMIT = 2;
const PRECOMMIT_STEP = 3;
const FOR_BLOCK = 2;

/** What a height works on. `checkpoint` throws when the engine is closing and may stop before the named step. */
export interface HeightParts {
  readonly app: Application;
  readonly store: BlockStore;
  readonly signer: PrivValidator;
  readonly log: Log;
  readonly now: () => Timestamp;
  /** Takes events that belong together; they are only made when somebody listens. */
  readonly publish: (events: () => readonly Published[]) => void;
  readonly txKeys?: TxKeysPort;
  readonly checkpoint: (step: "propose" | "sign" | "finalize" | "decide" | "commit") => void;
}

/** The commit of the last block and the set that signed it; empty before the first block. */
function lastSigned(store: BlockStore, state: EngineState): { commit: Commit; signers: readonly Validator[] } {
  if (state.lastBlockHeight < state.initialHeight) return { commit: NO_COMMIT, signers: [] };
  const commit = store.commit(state.lastBlockHeight);
  const signers = store.validators(state.lastBlockHeight);
  if (commit !== undefined && signers !== undefined) return { commit, signers };
  throw new ConsensusError("storage", `the commit of height ${state.lastBlockHeight} is missing from the store`);
}

/** The stored proposal of this height, when it follows from the state. */
function storedProposal(parts: HeightParts, state: EngineState, commit: Commit): SealedBlock | undefined {
  const stored = parts.store.block(state.lastBlockHeight + 1n);
  if (stored === undefined) return undefined;
  const sealed = openBlock(stored.bytes, platformSha256);
  return follows(sealed, state, commit, platformSha256) ? sealed : undefined;
}

/** A proposal the application accepts: its own selection, or an empty block when it refuses that. */
async function newProposal(
  parts: HeightParts,
  state: EngineState,
  commit: Commit,
  signers: readonly Validator[],
): Promise<SealedBlock> {
  const txs = await parts.app.prepare(state, commit, signers);
  if (BigInt(dataSize(txs)) > maxDataBytes(state.params)) {
    throw new ConsensusError("invalid-response", "PrepareProposal answered more bytes than a block may carry");
  }
  for (const selection of txs.length === 0 ? [txs] : [txs, []]) {
    const sealed = makeBlock(state, commit, selection, platformSha256);
    if (await parts.app.accepts(sealed, signers)) return sealed;
    const fields = { height: sealed.block.header.height, transactions: selection.length };
    parts.log.error(fields, "the application refuses the block it prepared");
  }
  throw new ConsensusError("proposal-refused", `the application refuses every block ${state.lastBlockHeight + 1n}`);
}

/** The block of this height, durable. One that is signed already is never replaced. */
async function proposal(
  parts: HeightParts,
  state: EngineState,
  commit: Commit,
  signers: readonly Validator[],
): Promise<SealedBlock> {
  const stored = storedProposal(parts, state, commit);
  const last = parts.signer.lastSigned();
  const isSigned = last.height === state.lastBlockHeight + 1n && last.step === PRECOMMIT_STEP;
  if (stored !== undefined && (isSigned || (await parts.app.accepts(stored, signers)))) return stored;
  if (isSigned) throw new ConsensusError("double-sign", `height ${last.height} is signed, but its block is not stored`);
  const sealed = await newProposal(parts, state, commit, signers);
  parts.checkpoint("sign");
  parts.store.saveProposal(sealed);
  return sealed;
}

/** Where a height acts: in the round this key has last acted in at that height. */
function stepOf(parts: HeightParts, state: EngineState): Step {
  const height = state.lastBlockHeight + 1n;
  const last = parts.signer.lastSigned();
  return { height, round: last.height === height ? last.round : 0 };
}

/** Signs the precommit for a block. */
async function precommit(parts: HeightParts, state: EngineState, sealed: SealedBlock, at: Step): Promise<Commit> {
  const { time } = sealed.block.header;
  const { height, round } = at;
  const { signature, timestamp } = await parts.signer.signVote({
    type: PRECOMMIT,
    height,
    round,
    blockId: sealed.id,
    timestamp: voteTime(time, parts.now()),
    chainId: state.chainId,
  });
  const entry = { blockIdFlag: FOR_BLOCK, validatorAddress: parts.signer.address, timestamp, signature } as const;
  parts.publish(() => precommitSigned(at, sealed.id, entry));
  return { height, round, blockId: sealed.id, signatures: [entry] };
}

/** A finished height. */
export interface FinishedHeight {
  readonly sealed: SealedBlock;
  readonly state: EngineState;
  /** Publishes what it decided; to be called when readers see the new state. */
  publish(): void;
}

/** Runs the height after `state` and resolves with its block and the state after it. */
export async function runHeight(parts: HeightParts, state: EngineState): Promise<FinishedHeight> {
  parts.checkpoint("propose");
  const { commit: lastCommit, signers } = lastSigned(parts.store, state);
  const at = stepOf(parts, state);
  parts.publish(() => roundStarted(at, parts.signer.address));
  const sealed = await proposal(parts, state, lastCommit, signers);
  parts.publish(() => proposalCompleted(at, sealed.id));
  parts.checkpoint("sign");
  const commit = await precommit(parts, state, sealed, at);
  parts.checkpoint("finalize");
  const response = await parts.app.finalize(sealed, signers);
  parts.checkpoint("decide");
  const { height, time } = sealed.block.header;
  const decided = { height, time, blockId: sealed.id, txCount: sealed.block.txs.length };
  const after = nextState(state, decided, response, platformSha256);
  parts.store.decide({
    sealed,
    commit,
    state: after,
    results: packResults(response.txResults),
    blockResult: blockResultToText(response),
    txKeys: parts.txKeys === undefined ? [] : response.txResults.map(parts.txKeys.keys),
  });
  parts.checkpoint("commit");
  await parts.app.commit();
  const publish = (): void =>
    parts.publish(() => [...blockEvents(sealed, response), ...heightStarted({ height: height + 1n, round: 0 })]);
  return { sealed, state: after, publish };
}
