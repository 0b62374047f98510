/** Consensus parameters: defaults, JSON, updates by the application, and what they allow a block to carry. */
import type { ConsensusParams } from "@cairn/abci";
import { CometError } from "@cairn/comet";

/** All groups of the parameters, present. */
export type FullParams = Required<ConsensusParams>;

const MAX_BLOCK_BYTES = 104_857_600n;
const MAX_HEADER_BYTES = 626n;
const BLOCK_OVERHEAD_BYTES = 11n;
const COMMIT_BYTES = 94n;
const COMMIT_SIG_BYTES = 111n;

/** CometBFT v0.38's defaults. */
export const DEFAULT_PARAMS: FullParams = {
  block: { maxBytes: 22_020_096n, maxGas: -1n },
  evidence: { maxAgeNumBlocks: 100_000n, maxAgeDurationNs: 172_800_000_000_000n, maxBytes: 1_048_576n },
  validator: { pubKeyTypes: ["ed25519"] },
  version: { app: 0n },
  abci: { voteExtensionsEnableHeight: 0n },
};

/** JSON of the parameters as genesis files and the RPC spell them. */
export interface ParamsJson {
  readonly block: { readonly max_bytes: string; readonly max_gas: string };
  readonly evidence: {
    readonly max_age_num_blocks: string;
    readonly max_age_duration: string;
    readonly max_bytes: string;
  };
  readonly validator: { readonly pub_key_types: readonly string[] };
  readonly version: { readonly app: string };
  readonly abci: { readonly vote_extensions_enable_height: string };
}

/** Spells parameters. */
export function paramsToJson(params: FullParams): ParamsJson {
  return {
    block: { max_bytes: String(params.block.maxBytes), max_gas: String(params.block.maxGas) },
    evidence: {
      max_age_num_blocks: String(params.evidence.maxAgeNumBlocks),
      max_age_duration: String(params.evidence.maxAgeDurationNs),
      max_bytes: String(params.evidence.maxBytes),
    },
    validator: { pub_key_types: params.validator.pubKeyTypes },
    version: { app: String(params.version.app) },
    abci: { vote_extensions_enable_height: String(params.abci.voteExtensionsEnableHeight) },
  };
}

function int(value: unknown, fallback: bigint): bigint {
  if (value === undefined) return fallback;
  if (typeof value !== "string" || !/^-?\d{1,19}$/.test(value)) {
    throw new CometError("invalid-json", "consensus parameter: expected a decimal string");
  }
  return BigInt(value);
}

function group(value: unknown, name: string): Readonly<Record<string, unknown>> {
  const member = typeof value === "object" && value !== null ? Object.entries(value).find(([key]) => key === name) : [];
  const found: unknown = member?.[1];
  return typeof found === "object" && found !== null ? Object.fromEntries(Object.entries(found)) : {};
}

/** Reads parameters; absent members take their defaults. Throws CometError `invalid-json`. */
export function paramsFromJson(value: unknown): FullParams {
  const [block, evidence, validator] = [group(value, "block"), group(value, "evidence"), group(value, "validator")];
  const types = validator.pub_key_types ?? DEFAULT_PARAMS.validator.pubKeyTypes;
  if (!Array.isArray(types) || !types.every((type) => typeof type === "string")) {
    throw new CometError("invalid-json", "pub_key_types: expected a list of names");
  }
  const params: FullParams = {
    block: {
      maxBytes: int(block.max_bytes, DEFAULT_PARAMS.block.maxBytes),
      maxGas: int(block.max_gas, DEFAULT_PARAMS.block.maxGas),
    },
    evidence: {
      maxAgeNumBlocks: int(evidence.max_age_num_blocks, DEFAULT_PARAMS.evidence.maxAgeNumBlocks),
      maxAgeDurationNs: int(evidence.max_age_duration, DEFAULT_PARAMS.evidence.maxAgeDurationNs),
      maxBytes: int(evidence.max_bytes, DEFAULT_PARAMS.evidence.maxBytes),
    },
    validator: { pubKeyTypes: types },
    version: { app: int(group(value, "version").app, 0n) },
    abci: { voteExtensionsEnableHeight: int(group(value, "abci").vote_extensions_enable_height, 0n) },
  };
  if (!areValidParams(params)) throw new CometError("invalid-json", "consensus parameter outside its range");
  return params;
}

/** Whether parameters are within CometBFT's bounds (checked after genesis and after every update). */
export function areValidParams({ block }: FullParams): boolean {
  return block.maxBytes !== 0n && block.maxBytes >= -1n && block.maxBytes <= MAX_BLOCK_BYTES && block.maxGas >= -1n;
}

/** Parameters after an update: a group that is present replaces the whole group. */
export function updateParams(params: FullParams, update: ConsensusParams | undefined): FullParams {
  return {
    block: update?.block ?? params.block,
    evidence: update?.evidence ?? params.evidence,
    validator: update?.validator ?? params.validator,
    version: update?.version ?? params.version,
    abci: update?.abci ?? params.abci,
  };
}

/**
 * Bytes that transactions may take up in a block (with tags and lengths) when one validator signs and no evidence is
 * in.
 */
export function maxDataBytes(params: FullParams): bigint {
  const whole = params.block.maxBytes === -1n ? MAX_BLOCK_BYTES : params.block.maxBytes;
  return whole - BLOCK_OVERHEAD_BYTES - MAX_HEADER_BYTES - COMMIT_BYTES - COMMIT_SIG_BYTES;
}
