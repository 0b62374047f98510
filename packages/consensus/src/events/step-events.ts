/**
 * The events of a height's steps, in CometBFT's JSON. One validator decides in the round it signs in, so the order is
 * NewRoundStep(Propose) … Commit as on a node whose proposal is accepted at once. The engine signs no prevote: `Vote`
 * is published for the precommit only.
 */
import { type BlockId, blockIdToJson, bytesToUpperHex, type CommitSig, timestampToRfc3339 } from "@cairn/comet";
import { createPublished, type Published } from "./published.ts";

/** Where a height is. */
export interface Step {
  readonly height: bigint;
  readonly round: number;
}

type StepName = "Propose" | "Prevote" | "Precommit" | "Commit" | "NewRound" | "NewHeight";

const PRECOMMIT = 2;

function roundState(kind: string, at: Step, step: StepName, more: object = {}, type = kind): Published {
  const value = { height: String(at.height), round: at.round, step: `RoundStep${step}`, ...more };
  return createPublished({ kind, type, value: () => JSON.stringify(value) });
}

function stepEvent(at: Step, step: StepName): Published {
  return roundState("NewRoundStep", at, step, {}, "RoundState");
}

/** A height begins. */
export function roundStarted(at: Step, proposer: Uint8Array): readonly Published[] {
  const more = { proposer: { address: bytesToUpperHex(proposer), index: 0 } };
  return [roundState("NewRound", at, "NewRound", more), stepEvent(at, "Propose")];
}

/** The block of the height stands. */
export function proposalCompleted(at: Step, blockId: BlockId): readonly Published[] {
  const state = (kind: string): Published => roundState(kind, at, "Prevote", {}, "RoundState");
  return [
    roundState("CompleteProposal", at, "Propose", { block_id: blockIdToJson(blockId) }),
    stepEvent(at, "Prevote"),
    state("ValidBlock"),
    state("Polka"),
    state("Lock"),
  ];
}

/** The precommit is signed. */
export function precommitSigned(at: Step, blockId: BlockId, entry: CommitSig): readonly Published[] {
  const vote = {
    type: PRECOMMIT,
    height: String(at.height),
    round: at.round,
    block_id: blockIdToJson(blockId),
    timestamp: timestampToRfc3339(entry.timestamp),
    validator_address: bytesToUpperHex(entry.validatorAddress),
    validator_index: 0,
    signature: Buffer.from(entry.signature).toString("base64"),
    extension: null,
    extension_signature: null,
  };
  return [
    stepEvent(at, "Precommit"),
    createPublished({ kind: "Vote", value: () => JSON.stringify({ Vote: vote }) }),
    stepEvent(at, "Commit"),
  ];
}

/** The height after a committed one is awaited. */
export function heightStarted(at: Step): readonly Published[] {
  return [stepEvent(at, "NewHeight")];
}

/** The two events of a finished synchronisation, once per start, with the type names of Tendermint 0.35. */
export function synchronised(height: bigint): readonly Published[] {
  const value = (): string => JSON.stringify({ complete: true, height: String(height) });
  return [
    createPublished({ kind: "BlockSyncStatus", type: "FastSyncStatus", value }),
    createPublished({ kind: "StateSyncStatus", value }),
  ];
}
