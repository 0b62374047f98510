/**
 * What the next block follows from (CometBFT's `State`), for a chain of one validator. Pure: a height's step takes the
 * decided block and the application's response and gives the next state.
 *
 *   genesis --InitChain--> state before the first block
 *   state --(block H, response)--> state after H: app hash, results hash, parameters from H+1, validators from H+2
 */
import type { FinalizeBlockResponse, InitChainResponse, ValidatorUpdate } from "@cairn/abci";
import {
  type BlockId,
  blockIdFromJson,
  blockIdToJson,
  bytesToUpperHex,
  createValidator,
  lastResultsHash,
  NO_BLOCK_ID,
  type PublicKey,
  parseRfc3339,
  type Sha256,
  type Timestamp,
  timestampToRfc3339,
  upperHexToBytes,
  type Validator,
  validatorsFromJson,
  validatorsToJson,
} from "@cairn/comet";
import { ConsensusError } from "./errors.ts";
import type { Genesis } from "./genesis.ts";
import { areValidParams, type FullParams, paramsFromJson, paramsToJson, updateParams } from "./params.ts";

/**
 * State after `lastBlockHeight`. Before the first block that is the initial height less one and its time the genesis'.
 */
export interface EngineState {
  readonly chainId: string;
  readonly initialHeight: bigint;
  readonly lastBlockHeight: bigint;
  readonly lastBlockId: BlockId;
  readonly lastBlockTime: Timestamp;
  /** Set that signs height `lastBlockHeight` + 1. */
  readonly validators: readonly Validator[];
  /** Set that signs the height after that. */
  readonly nextValidators: readonly Validator[];
  /** In force from `lastBlockHeight` + 1. */
  readonly params: FullParams;
  readonly appVersion: bigint;
  readonly appHash: Uint8Array;
  readonly lastResultsHash: Uint8Array;
}

const MAX_POWER = (1n << 63n) / 8n;

/**
 * The set after updates. Throws ConsensusError `several-validators` when another key would have power and
 * `invalid-response` when the set would be empty or a power is out of range.
 */
export function updateValidators(
  validators: readonly Validator[],
  updates: readonly ValidatorUpdate[],
): readonly Validator[] {
  let set = validators;
  for (const update of updates) {
    if (update.power < 0n || update.power > MAX_POWER) throw new ConsensusError("invalid-response", "validator power");
    const changed = createValidator({ type: update.pubKeyType, bytes: update.pubKey }, update.power);
    const address = bytesToUpperHex(changed.address);
    set = set.filter((validator) => bytesToUpperHex(validator.address) !== address);
    if (update.power > 0n) set = [...set, changed];
  }
  if (set.length > 1) {
    const message = "the chain now has several validators: the embedded engine is one, run the node with CometBFT";
    throw new ConsensusError("several-validators", message);
  }
  if (set.length === 0) throw new ConsensusError("invalid-response", "the last validator cannot be removed");
  return set;
}

/** Throws ConsensusError `not-the-validator` or `several-validators` unless the set is exactly this key. */
export function requireSoleValidator(validators: readonly Validator[], pubKey: PublicKey): void {
  if (validators.length > 1) {
    throw new ConsensusError("several-validators", "the genesis has several validators: run the node with CometBFT");
  }
  const isOurs = Buffer.compare(validators[0]?.pubKey.bytes ?? new Uint8Array(0), pubKey.bytes) === 0;
  if (!isOurs) throw new ConsensusError("not-the-validator", "the chain's validator is not this home's key");
}

/** State before the first block. `appVersion` is what Info answered. */
export function initialState(
  genesis: Genesis,
  response: InitChainResponse,
  appVersion: bigint,
  hash: Sha256,
): EngineState {
  const params = updateParams(genesis.params, response.consensusParams);
  if (!areValidParams(params)) throw new ConsensusError("invalid-response", "consensus parameters out of range");
  const set = response.validators.length === 0 ? genesis.validators : updateValidators([], response.validators);
  return {
    chainId: genesis.chainId,
    initialHeight: genesis.initialHeight,
    lastBlockHeight: genesis.initialHeight - 1n,
    lastBlockId: NO_BLOCK_ID,
    lastBlockTime: genesis.time,
    validators: set,
    nextValidators: set,
    params,
    appVersion: response.consensusParams?.version === undefined ? appVersion : params.version.app,
    appHash: response.appHash.length === 0 ? genesis.appHash : response.appHash,
    lastResultsHash: lastResultsHash([], hash),
  };
}

/** A decided block as the state needs it. */
export interface Decided {
  readonly height: bigint;
  readonly time: Timestamp;
  readonly blockId: BlockId;
  readonly txCount: number;
}

/**
 * State after a block. Throws ConsensusError `invalid-response` (wrong number of results, parameters out of range)
 * and what {@link updateValidators} throws.
 */
export function nextState(
  state: EngineState,
  decided: Decided,
  response: FinalizeBlockResponse,
  hash: Sha256,
): EngineState {
  if (response.txResults.length !== decided.txCount) {
    throw new ConsensusError("invalid-response", "not one result per transaction");
  }
  const params = updateParams(state.params, response.consensusParamUpdates);
  if (!areValidParams(params)) throw new ConsensusError("invalid-response", "consensus parameters out of range");
  const isVersionUpdate = response.consensusParamUpdates?.version !== undefined;
  return {
    ...state,
    lastBlockHeight: decided.height,
    lastBlockId: decided.blockId,
    lastBlockTime: decided.time,
    validators: state.nextValidators,
    nextValidators: updateValidators(state.nextValidators, response.validatorUpdates),
    params,
    appVersion: isVersionUpdate ? params.version.app : state.appVersion,
    appHash: response.appHash,
    lastResultsHash: lastResultsHash(response.txResults, hash),
  };
}

/** Text form for the store. */
export function stateToText(state: EngineState): string {
  return JSON.stringify({
    chain_id: state.chainId,
    initial_height: String(state.initialHeight),
    last_block_height: String(state.lastBlockHeight),
    last_block_id: blockIdToJson(state.lastBlockId),
    last_block_time: timestampToRfc3339(state.lastBlockTime),
    validators: validatorsToJson(state.validators),
    next_validators: validatorsToJson(state.nextValidators),
    consensus_params: paramsToJson(state.params),
    app_version: String(state.appVersion),
    app_hash: bytesToUpperHex(state.appHash),
    last_results_hash: bytesToUpperHex(state.lastResultsHash),
  });
}

/** Inverse of {@link stateToText}. Throws CometError `invalid-json` on damaged text. */
export function stateFromText(text: string): EngineState {
  const json = JSON.parse(text);
  return {
    chainId: json.chain_id,
    initialHeight: BigInt(json.initial_height),
    lastBlockHeight: BigInt(json.last_block_height),
    lastBlockId: blockIdFromJson(json.last_block_id),
    lastBlockTime: parseRfc3339(json.last_block_time),
    validators: validatorsFromJson(json.validators),
    nextValidators: validatorsFromJson(json.next_validators),
    params: paramsFromJson(json.consensus_params),
    appVersion: BigInt(json.app_version),
    appHash: upperHexToBytes(json.app_hash),
    lastResultsHash: upperHexToBytes(json.last_results_hash),
  };
}
