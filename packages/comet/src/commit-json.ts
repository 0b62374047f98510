/** CometBFT's JSON of commits, both ways. */
import { bytesToBase64, bytesToUpperHex } from "./bytes.ts";
import { CometError } from "./error.ts";
import { type BlockIdJson, blockIdFromJson, blockIdToJson } from "./header-json.ts";
import { readObject } from "./json-read.ts";
import { compareTimestamps, timestampToRfc3339, ZERO_TIME } from "./timestamp.ts";
import type { BlockIdFlag, Commit, CommitSig } from "./types.ts";

const MAX_INT32 = 0x7fffffff;
const FLAGS: readonly (BlockIdFlag | undefined)[] = [undefined, 1, 2, 3];

/** JSON of one entry of a commit; an absent validator has `""`, the zero time and `null`. */
export interface CommitSigJson {
  readonly block_id_flag: number;
  readonly validator_address: string;
  readonly timestamp: string;
  readonly signature: string | null;
}

/** JSON of a commit. */
export interface CommitJson {
  readonly height: string;
  readonly round: number;
  readonly block_id: BlockIdJson;
  readonly signatures: readonly CommitSigJson[];
}

/** Spells a commit. */
export function commitToJson(commit: Commit): CommitJson {
  return {
    height: String(commit.height),
    round: commit.round,
    block_id: blockIdToJson(commit.blockId),
    signatures: commit.signatures.map((entry) => ({
      block_id_flag: entry.blockIdFlag,
      validator_address: bytesToUpperHex(entry.validatorAddress),
      timestamp: timestampToRfc3339(entry.timestamp),
      signature: entry.signature.length === 0 ? null : bytesToBase64(entry.signature),
    })),
  };
}

function commitSigFromJson(value: unknown, path: string): CommitSig {
  const json = readObject(value, path, ["block_id_flag", "validator_address", "timestamp", "signature"]);
  const blockIdFlag = FLAGS[json.small("block_id_flag", 3)];
  if (blockIdFlag === undefined) throw new CometError("invalid-json", `${path}.block_id_flag: unknown`);
  const timestamp = json.time("timestamp");
  const isAbsent = blockIdFlag === 1;
  if (isAbsent && (compareTimestamps(timestamp, ZERO_TIME) !== 0 || json.raw("signature") !== null)) {
    throw new CometError("invalid-json", `${path}: an absent signature has no time and no bytes`);
  }
  return {
    blockIdFlag,
    validatorAddress: json.hex("validator_address", [isAbsent ? 0 : 20]),
    timestamp,
    signature: json.base64("signature", [isAbsent ? 0 : 64]),
  };
}

/** Reads a commit, strictly: each commit has one spelling. Throws CometError `invalid-json`. */
export function commitFromJson(value: unknown, path = "commit"): Commit {
  const json = readObject(value, path, ["height", "round", "block_id", "signatures"]);
  return {
    height: json.int64("height"),
    round: json.small("round", MAX_INT32),
    blockId: blockIdFromJson(json.raw("block_id"), `${path}.block_id`),
    signatures: json.list("signatures").map((entry, i) => commitSigFromJson(entry, `${path}.signatures[${i}]`)),
  };
}
