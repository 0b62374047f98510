/** Calls and events of `ProofHub`. Owns their bytes; not the batch inside a call. */
import { addressWord, dynamicBytes, join, readDynamicBytes, readUint, uintWord, WORD } from "./abi-word.ts";
import { fromHex, type Hex, toHex } from "./hex.ts";

/** `settle(uint64,bytes,address[])`. */
const SETTLE = "0xc4f483d2";
/** `isSettled(bytes32)`. */
const IS_SETTLED = "0xbd07f3c9";

/** Topic 0 of `BatchSettled(address,uint64,bytes32,bytes32,uint32,uint32,uint32,bytes)`. */
export const BATCH_SETTLED_TOPIC: Hex = "0x45502a158da64118446a126308b7eb15123b266844a878bf80011c99f84965cc";

/** A settled batch, as its log says. */
export interface BatchSettled {
  readonly submitter: Hex;
  readonly number: bigint;
  readonly commitment: Hex;
  readonly root: Hex;
  /** Slots. */
  readonly size: number;
  /** Proofs that every validator verified. */
  readonly verified: number;
  /** Commitments; nothing is proven of them. */
  readonly commitments: number;
  /** Bitmap of excluded slots: slot i is bit 7 − i % 8 of byte i / 8; empty when none is. */
  readonly excluded: Uint8Array;
}

/** Call data of `settle`. Throws RangeError for a number of 2^64 or more, or what is no address. */
export function encodeSettleCall(number: bigint, batch: Uint8Array, payers: readonly Hex[]): Uint8Array {
  const bytes = dynamicBytes(batch);
  const bytesLength = bytes.reduce((length, part) => length + part.length, 0);
  const head = 3 * WORD;
  return join([
    fromHex(SETTLE),
    uintWord(number, 64),
    uintWord(BigInt(head)),
    uintWord(BigInt(head + bytesLength)),
    ...bytes,
    uintWord(BigInt(payers.length)),
    ...payers.map(addressWord),
  ]);
}

/** Call data of `isSettled`. Throws RangeError unless the commitment is 32 bytes. */
export function encodeIsSettledCall(commitment: Hex): Uint8Array {
  const bytes = fromHex(commitment);
  if (bytes.length !== WORD) throw new RangeError("not a commitment of 32 bytes");
  return join([fromHex(IS_SETTLED), bytes]);
}

/** Reads a log of `ProofHub`; undefined when it is no well-formed `BatchSettled`. */
export function decodeBatchSettled(log: {
  readonly topics: readonly Hex[];
  readonly data: Hex;
}): BatchSettled | undefined {
  const [topic, submitter, number, commitment] = log.topics;
  if (topic?.toLowerCase() !== BATCH_SETTLED_TOPIC || log.topics.length !== 4) return undefined;
  if (submitter === undefined || number === undefined || commitment === undefined) return undefined;
  const words = wordsOf(log.data, [submitter, number, commitment]);
  if (words === undefined) return undefined;
  const { data, topics } = words;
  const addressNumber = readUint(topics, 0, 160);
  const batchNumber = readUint(topics, WORD, 64);
  const [size, verified, commitments] = [1, 2, 3].map((index) => readUint(data, index * WORD, 32));
  const excluded = readDynamicBytes(data, 4 * WORD);
  if (addressNumber === undefined || batchNumber === undefined || excluded === undefined) return undefined;
  if (size === undefined || verified === undefined || commitments === undefined) return undefined;
  return {
    submitter: toHex(topics.subarray(12, WORD)),
    number: batchNumber,
    commitment: toHex(topics.subarray(2 * WORD, 3 * WORD)),
    root: toHex(data.subarray(0, WORD)),
    size: Number(size),
    verified: Number(verified),
    commitments: Number(commitments),
    excluded,
  };
}

/** Data and indexed words as bytes; undefined for what is no hex of their length. */
function wordsOf(data: Hex, indexed: readonly Hex[]): { data: Uint8Array; topics: Uint8Array } | undefined {
  if (!indexed.every((topic) => /^0x[0-9a-fA-F]{64}$/.test(topic))) return undefined;
  if (!/^0x(?:[0-9a-fA-F]{2})*$/.test(data)) return undefined;
  return { data: fromHex(data), topics: join(indexed.map(fromHex)) };
}
