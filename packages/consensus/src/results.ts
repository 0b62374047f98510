/**
 * Results of a block's transactions as they are kept: the JSON texts the RPC splices into its answers, one per
 * transaction, joined and compressed, with their offsets in front.
 */
import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import type { AbciEvent, ConsensusParams, ExecTxResult, FinalizeBlockResponse, ValidatorUpdate } from "@cairn/abci";

/** Base64 of bytes, null when empty. */
function nullableBase64(bytes: Uint8Array): string | null {
  return bytes.length === 0 ? null : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64");
}

/** JSON of events: only the members that the RPC shows, in its order. */
export function eventsToJson(events: readonly AbciEvent[]): unknown {
  return events.map(({ type, attributes }) => ({
    type,
    attributes: attributes.map(({ key, value, index }) => ({ key, value, index })),
  }));
}

/** CometBFT's JSON text of one result (its jsonpb flavour: every member present). */
export function txResultToText(result: ExecTxResult): string {
  return JSON.stringify({
    code: result.code,
    data: nullableBase64(result.data),
    log: result.log,
    info: result.info,
    gas_wanted: String(result.gasWanted),
    gas_used: String(result.gasUsed),
    events: eventsToJson(result.events),
    codespace: result.codespace,
  });
}

/** Packs the result texts of a block. */
export function packResults(results: readonly ExecTxResult[]): Uint8Array {
  const texts = results.map(txResultToText);
  const head = Buffer.alloc(4 * (texts.length + 1));
  let at = head.length;
  for (const [i, text] of texts.entries()) {
    head.writeUInt32LE(at, 4 * i);
    at += Buffer.byteLength(text);
  }
  head.writeUInt32LE(at, 4 * texts.length);
  const whole = Buffer.concat([head, Buffer.from(texts.join(""))]);
  return zstdCompressSync(whole, { params: { [constants.ZSTD_c_compressionLevel]: 1 } });
}

/** Unpacks all result texts. */
export function unpackResults(packed: Uint8Array): readonly string[] {
  const bytes = zstdDecompressSync(packed);
  const count = bytes.readUInt32LE(0) / 4 - 1;
  return Array.from({ length: count }, (_, i) => {
    return bytes.toString("utf8", bytes.readUInt32LE(4 * i), bytes.readUInt32LE(4 * i + 4));
  });
}

/** The text of one result, undefined when there is no such transaction. */
export function resultAt(packed: Uint8Array, index: number): string | undefined {
  const bytes = zstdDecompressSync(packed);
  const count = bytes.readUInt32LE(0) / 4 - 1;
  if (index < 0 || index >= count) return undefined;
  return bytes.toString("utf8", bytes.readUInt32LE(4 * index), bytes.readUInt32LE(4 * index + 4));
}

/** Groups that are present, zero scalars left out, as the RPC shows an update of the parameters. */
export function paramUpdatesToJson(update: ConsensusParams): unknown {
  const text = (value: bigint): string | undefined => (value === 0n ? undefined : String(value));
  const { block, evidence, validator, version, abci } = update;
  return {
    ...(block && { block: { max_bytes: text(block.maxBytes), max_gas: text(block.maxGas) } }),
    ...(evidence && {
      evidence: {
        max_age_num_blocks: text(evidence.maxAgeNumBlocks),
        max_age_duration: String(evidence.maxAgeDurationNs),
        max_bytes: text(evidence.maxBytes),
      },
    }),
    ...(validator && { validator: { pub_key_types: validator.pubKeyTypes } }),
    ...(version && { version: { app: text(version.app) } }),
    ...(abci && { abci: { vote_extensions_enable_height: text(abci.voteExtensionsEnableHeight) } }),
  };
}

const KEY_SUMS = { ed25519: "tendermint.crypto.PublicKey_Ed25519", secp256k1: "tendermint.crypto.PublicKey_Secp256K1" };

/** One validator update as `block_results` shows it. */
export function validatorUpdateToJson({ pubKeyType, pubKey, power }: ValidatorUpdate): unknown {
  const key = { Sum: { type: KEY_SUMS[pubKeyType], value: { [pubKeyType]: nullableBase64(pubKey) } } };
  return power === 0n ? { pub_key: key } : { pub_key: key, power: String(power) };
}

/** What `block_results` shows of a response beside its transactions, as JSON text; empty lists are null. */
export function blockResultToText(response: FinalizeBlockResponse): string {
  const { events, validatorUpdates, consensusParamUpdates, appHash } = response;
  return JSON.stringify({
    finalize_block_events: events.length === 0 ? null : eventsToJson(events),
    validator_updates: validatorUpdates.length === 0 ? null : validatorUpdates.map(validatorUpdateToJson),
    consensus_param_updates: consensusParamUpdates === undefined ? null : paramUpdatesToJson(consensusParamUpdates),
    app_hash: nullableBase64(appHash),
  });
}
