/** CometBFT's JSON of whole blocks and their evidence, both ways. */
import { bytesToBase64, bytesToUpperHex } from "./bytes.ts";
import { type CommitJson, commitFromJson, commitToJson } from "./commit-json.ts";
import { CometError } from "./error.ts";
import { blockIdFromJson, blockIdToJson, type HeaderJson, headerFromJson, headerToJson } from "./header-json.ts";
import { readObject } from "./json-read.ts";
import { timestampToRfc3339 } from "./timestamp.ts";
import type { Block, DuplicateVoteEvidence, Evidence, Vote } from "./types.ts";

const MAX_INT32 = 0x7fffffff;
const DUPLICATE_VOTE = "tendermint/DuplicateVoteEvidence";

/** JSON of a block. */
export interface BlockJson {
  readonly header: HeaderJson;
  readonly data: { readonly txs: readonly string[] };
  readonly evidence: { readonly evidence: readonly unknown[] };
  readonly last_commit: CommitJson;
}

function nullableBase64(bytes: Uint8Array): string | null {
  return bytes.length === 0 ? null : bytesToBase64(bytes);
}

function voteToJson(vote: Vote): unknown {
  return {
    type: vote.type,
    height: String(vote.height),
    round: vote.round,
    block_id: blockIdToJson(vote.blockId),
    timestamp: timestampToRfc3339(vote.timestamp),
    validator_address: bytesToUpperHex(vote.validatorAddress),
    validator_index: vote.validatorIndex,
    signature: nullableBase64(vote.signature),
    extension: nullableBase64(vote.extension),
    extension_signature: nullableBase64(vote.extensionSignature),
  };
}

const VOTE_KEYS = [
  "type",
  "height",
  "round",
  "block_id",
  "timestamp",
  "validator_address",
  "validator_index",
  "signature",
  "extension",
  "extension_signature",
];

function voteFromJson(value: unknown, path: string): Vote {
  const json = readObject(value, path, VOTE_KEYS);
  const type = json.small("type", 2);
  if (type !== 1 && type !== 2) throw new CometError("invalid-json", `${path}.type: unknown`);
  return {
    type,
    height: json.int64("height"),
    round: json.small("round", MAX_INT32),
    blockId: blockIdFromJson(json.raw("block_id"), `${path}.block_id`),
    timestamp: json.time("timestamp"),
    validatorAddress: json.hex("validator_address", [20]),
    validatorIndex: json.small("validator_index", MAX_INT32),
    signature: json.base64("signature"),
    extension: json.base64("extension"),
    extensionSignature: json.base64("extension_signature"),
  };
}

/** Spells evidence. Throws CometError `invalid-value` for a light client attack, which is kept as bytes only. */
export function evidenceToJson(evidence: Evidence): unknown {
  if (evidence.kind !== "duplicate-vote") {
    throw new CometError("invalid-value", "evidence of a light client attack has no JSON here");
  }
  return {
    type: DUPLICATE_VOTE,
    value: {
      vote_a: voteToJson(evidence.voteA),
      vote_b: voteToJson(evidence.voteB),
      TotalVotingPower: String(evidence.totalVotingPower),
      ValidatorPower: String(evidence.validatorPower),
      Timestamp: timestampToRfc3339(evidence.timestamp),
    },
  };
}

/** Reads evidence of a duplicate vote. Throws CometError `invalid-json`, also for any other kind. */
export function evidenceFromJson(value: unknown, path = "evidence"): DuplicateVoteEvidence {
  const json = readObject(value, path, ["type", "value"]);
  if (json.text("type") !== DUPLICATE_VOTE) throw new CometError("invalid-json", `${path}.type: unsupported`);
  const body = json.object("value", ["vote_a", "vote_b", "TotalVotingPower", "ValidatorPower", "Timestamp"]);
  return {
    kind: "duplicate-vote",
    voteA: voteFromJson(body.raw("vote_a"), `${path}.vote_a`),
    voteB: voteFromJson(body.raw("vote_b"), `${path}.vote_b`),
    totalVotingPower: body.int64("TotalVotingPower"),
    validatorPower: body.int64("ValidatorPower"),
    timestamp: body.time("Timestamp"),
  };
}

/** Spells a block, members in CometBFT's order. `toBase64` may be the platform's. */
export function blockToJson(block: Block, toBase64: (bytes: Uint8Array) => string = bytesToBase64): BlockJson {
  return {
    header: headerToJson(block.header),
    data: { txs: block.txs.map(toBase64) },
    evidence: { evidence: block.evidence.map(evidenceToJson) },
    last_commit: commitToJson(block.lastCommit),
  };
}

/** Reads a block, strictly. Throws CometError `invalid-json`. */
export function blockFromJson(value: unknown, path = "block"): Block {
  const json = readObject(value, path, ["header", "data", "evidence", "last_commit"]);
  const data = json.object("data", ["txs"]);
  const evidence = json.object("evidence", ["evidence"]).list("evidence");
  return {
    header: headerFromJson(json.raw("header"), `${path}.header`),
    txs: data.list("txs").map((tx, i) => readObject({ tx }, `${path}.data.txs[${i}]`, ["tx"]).base64("tx")),
    evidence: evidence.map((entry, i) => evidenceFromJson(entry, `${path}.evidence[${i}]`)),
    lastCommit: commitFromJson(json.raw("last_commit"), `${path}.last_commit`),
  };
}
