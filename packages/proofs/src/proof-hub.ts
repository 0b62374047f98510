/** The two facts about `ProofHub` that a receipt is checked against: its `BatchSettled` event and its `settle` call. */
import {
  type Address,
  bytesToHex,
  equalBytes,
  type Hash,
  type Hex,
  hexToBytes,
  keccak256,
  type Log,
} from "@cairn/primitives";
import { text, WireError, WireReader } from "./wire.ts";

/** Address of the contract on every Cairn chain. */
export const PROOF_HUB_ADDRESS: Address = "0x000000000000000000000000000000000000c001";

const EVENT = "BatchSettled(address,uint64,bytes32,bytes32,uint32,uint32,uint32,bytes)";
const CALL = "settle(uint64,bytes,address[])";

/** What a `BatchSettled` log says. */
export interface BatchSettled {
  /** 20 bytes. */
  readonly submitter: Uint8Array;
  readonly number: bigint;
  readonly commitment: Uint8Array;
  readonly root: Uint8Array;
  readonly size: number;
  readonly verified: number;
  readonly commitments: number;
}

/** First topic of a `BatchSettled` log. */
export function batchSettledTopic(): Hash {
  return bytesToHex(keccak256(text(EVENT)));
}

/** The event of a log of `hub`; undefined for any other log. Throws `WireError` for words out of range. */
export function readBatchSettled(log: Log, hub: Address): BatchSettled | undefined {
  const [topic, submitter, number, commitment] = log.topics;
  if (log.address.toLowerCase() !== hub || topic !== batchSettledTopic()) return undefined;
  if (submitter === undefined || number === undefined || commitment === undefined) return undefined;
  const data = new WireReader(bytesOf(log.data));
  return {
    submitter: word(new WireReader(hexToBytes(submitter)), 20),
    number: integer(new WireReader(hexToBytes(number)), 8),
    commitment: hexToBytes(commitment),
    root: data.take(32),
    size: Number(integer(data, 4)),
    verified: Number(integer(data, 4)),
    commitments: Number(integer(data, 4)),
  };
}

/** The batch number that calldata of `settle` names; undefined for any other calldata. */
export function readSettleNumber(calldata: Uint8Array): bigint | undefined {
  const selector = keccak256(text(CALL)).subarray(0, 4);
  if (calldata.length < 100 || !equalBytes(calldata.subarray(0, 4), selector)) return undefined;
  return integer(new WireReader(calldata.subarray(4)), 8);
}

function bytesOf(data: Hex | Uint8Array): Uint8Array {
  return typeof data === "string" ? hexToBytes(data) : data;
}

function word(reader: WireReader, width: number): Uint8Array {
  if (reader.take(32 - width).some((byte) => byte !== 0)) throw new WireError("a word above its type");
  return reader.take(width);
}

function integer(reader: WireReader, width: number): bigint {
  return word(reader, width).reduce((value, byte) => (value << 8n) | BigInt(byte), 0n);
}
