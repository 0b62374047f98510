/** CometBFT's JSON of headers and block ids, both ways. */
import { bytesToUpperHex } from "./bytes.ts";
import { CometError } from "./error.ts";
import { type ObjectReader, readObject } from "./json-read.ts";
import { timestampToRfc3339 } from "./timestamp.ts";
import type { BlockId, Header } from "./types.ts";

const HASH_LENGTHS = [0, 32] as const;
const MAX_UINT32 = 0xffffffff;
const MAX_CHAIN_ID_LENGTH = 50;

/** JSON of a block id. */
export interface BlockIdJson {
  readonly hash: string;
  readonly parts: { readonly total: number; readonly hash: string };
}

/** JSON of a header; `version.app` is left out when zero. */
export interface HeaderJson {
  readonly version: { readonly block: string; readonly app?: string };
  readonly chain_id: string;
  readonly height: string;
  readonly time: string;
  readonly last_block_id: BlockIdJson;
  readonly last_commit_hash: string;
  readonly data_hash: string;
  readonly validators_hash: string;
  readonly next_validators_hash: string;
  readonly consensus_hash: string;
  readonly app_hash: string;
  readonly last_results_hash: string;
  readonly evidence_hash: string;
  readonly proposer_address: string;
}

/** Spells a block id. */
export function blockIdToJson(blockId: BlockId): BlockIdJson {
  return {
    hash: bytesToUpperHex(blockId.hash),
    parts: { total: blockId.parts.total, hash: bytesToUpperHex(blockId.parts.hash) },
  };
}

/** Reads a block id. Throws CometError `invalid-json`. */
export function blockIdFromJson(value: unknown, path = "block_id"): BlockId {
  const json = readObject(value, path, ["hash", "parts"]);
  const parts = json.object("parts", ["total", "hash"]);
  return {
    hash: json.hex("hash", HASH_LENGTHS),
    parts: { total: parts.small("total", MAX_UINT32), hash: parts.hex("hash", HASH_LENGTHS) },
  };
}

/** Spells a header, members in CometBFT's order. */
export function headerToJson(header: Header): HeaderJson {
  const { block, app } = header.version;
  return {
    version: app === 0n ? { block: String(block) } : { block: String(block), app: String(app) },
    chain_id: header.chainId,
    height: String(header.height),
    time: timestampToRfc3339(header.time),
    last_block_id: blockIdToJson(header.lastBlockId),
    last_commit_hash: bytesToUpperHex(header.lastCommitHash),
    data_hash: bytesToUpperHex(header.dataHash),
    validators_hash: bytesToUpperHex(header.validatorsHash),
    next_validators_hash: bytesToUpperHex(header.nextValidatorsHash),
    consensus_hash: bytesToUpperHex(header.consensusHash),
    app_hash: bytesToUpperHex(header.appHash),
    last_results_hash: bytesToUpperHex(header.lastResultsHash),
    evidence_hash: bytesToUpperHex(header.evidenceHash),
    proposer_address: bytesToUpperHex(header.proposerAddress),
  };
}

const HEADER_KEYS = [
  "version",
  "chain_id",
  "height",
  "time",
  "last_block_id",
  "last_commit_hash",
  "data_hash",
  "validators_hash",
  "next_validators_hash",
  "consensus_hash",
  "app_hash",
  "last_results_hash",
  "evidence_hash",
  "proposer_address",
];

function versionFromJson(json: ObjectReader): Header["version"] {
  const version = json.object("version", ["block"], ["app"]);
  const app = version.has("app") ? version.int64("app") : 0n;
  const block = version.int64("block");
  if (block < 0n || app < 0n || (app === 0n && version.has("app"))) {
    throw new CometError("invalid-json", "header.version: unexpected value");
  }
  return { block, app };
}

/** Reads a header, strictly: each header has one spelling. Throws CometError `invalid-json`. */
export function headerFromJson(value: unknown, path = "header"): Header {
  const json = readObject(value, path, HEADER_KEYS);
  const chainId = json.text("chain_id");
  if (chainId.length > MAX_CHAIN_ID_LENGTH) throw new CometError("invalid-json", `${path}.chain_id: too long`);
  return {
    version: versionFromJson(json),
    chainId,
    height: json.int64("height"),
    time: json.time("time"),
    lastBlockId: blockIdFromJson(json.raw("last_block_id"), `${path}.last_block_id`),
    lastCommitHash: json.hex("last_commit_hash", HASH_LENGTHS),
    dataHash: json.hex("data_hash", HASH_LENGTHS),
    validatorsHash: json.hex("validators_hash", HASH_LENGTHS),
    nextValidatorsHash: json.hex("next_validators_hash", HASH_LENGTHS),
    consensusHash: json.hex("consensus_hash", HASH_LENGTHS),
    appHash: json.hex("app_hash"),
    lastResultsHash: json.hex("last_results_hash", HASH_LENGTHS),
    evidenceHash: json.hex("evidence_hash", HASH_LENGTHS),
    proposerAddress: json.hex("proposer_address", [0, 20]),
  };
}
