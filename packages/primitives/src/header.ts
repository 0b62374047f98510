/**
 * Owns the Ethereum block header: its RLP and its hash. Fields that a fork added at the end may be absent together
 * with all that follow them, so that headers of other chains decode too; Cairn's carry all (Prague).
 */
import { keccak256 } from "./hash.ts";
import { type Address, bytesToHex, type Hash, type Hex, hexToBytes } from "./hex.ts";
import { bigintToBytes } from "./quantity.ts";
import { RlpError, type RlpValue, rlpDecode, rlpEncode } from "./rlp.ts";
import { asAddress, asHash, asHex, asInteger, asList } from "./rlp-fields.ts";

/** A block header; names as in the JSON-RPC header object. */
export interface Header {
  readonly parentHash: Hash;
  readonly sha3Uncles: Hash;
  readonly miner: Address;
  readonly stateRoot: Hash;
  readonly transactionsRoot: Hash;
  readonly receiptsRoot: Hash;
  /** 256 bytes. */
  readonly logsBloom: Hex;
  readonly difficulty: bigint;
  readonly number: bigint;
  readonly gasLimit: bigint;
  readonly gasUsed: bigint;
  /** Seconds. */
  readonly timestamp: bigint;
  readonly extraData: Hex;
  readonly mixHash: Hash;
  /** 8 bytes. */
  readonly nonce: Hex;
  readonly baseFeePerGas?: bigint;
  readonly withdrawalsRoot?: Hash;
  readonly blobGasUsed?: bigint;
  readonly excessBlobGas?: bigint;
  readonly parentBeaconBlockRoot?: Hash;
  readonly requestsHash?: Hash;
}

const REQUIRED_FIELDS = 15;

/** RLP of a header. Throws `RlpError` when an optional field is absent before a present one. */
export function encodeHeader(h: Header): Uint8Array {
  const optional = [
    h.baseFeePerGas === undefined ? undefined : bigintToBytes(h.baseFeePerGas),
    h.withdrawalsRoot === undefined ? undefined : hexToBytes(h.withdrawalsRoot),
    h.blobGasUsed === undefined ? undefined : bigintToBytes(h.blobGasUsed),
    h.excessBlobGas === undefined ? undefined : bigintToBytes(h.excessBlobGas),
    h.parentBeaconBlockRoot === undefined ? undefined : hexToBytes(h.parentBeaconBlockRoot),
    h.requestsHash === undefined ? undefined : hexToBytes(h.requestsHash),
  ];
  const present = optional.filter((field) => field !== undefined);
  if (optional.slice(0, present.length).includes(undefined)) throw new RlpError("header field missing");
  const hashes = [h.parentHash, h.sha3Uncles, h.miner, h.stateRoot, h.transactionsRoot, h.receiptsRoot, h.logsBloom];
  const integers = [h.difficulty, h.number, h.gasLimit, h.gasUsed, h.timestamp];
  const tail = [h.extraData, h.mixHash, h.nonce];
  return rlpEncode([...hashes.map(hexToBytes), ...integers.map(bigintToBytes), ...tail.map(hexToBytes), ...present]);
}

function decodeOptional(f: readonly RlpValue[]): Partial<Header> {
  return {
    ...(f.length > 15 ? { baseFeePerGas: asInteger(f[15], 256) } : {}),
    ...(f.length > 16 ? { withdrawalsRoot: asHash(f[16]) } : {}),
    ...(f.length > 17 ? { blobGasUsed: asInteger(f[17], 64) } : {}),
    ...(f.length > 18 ? { excessBlobGas: asInteger(f[18], 64) } : {}),
    ...(f.length > 19 ? { parentBeaconBlockRoot: asHash(f[19]) } : {}),
    ...(f.length > 20 ? { requestsHash: asHash(f[20]) } : {}),
  };
}

/** The header that `rlp` encodes. Throws `RlpError` on anything else. */
export function decodeHeader(rlp: Uint8Array): Header {
  const f = asList(rlpDecode(rlp));
  if (f.length < REQUIRED_FIELDS || f.length > REQUIRED_FIELDS + 6) throw new RlpError("rlp: wrong number of fields");
  return {
    parentHash: asHash(f[0]),
    sha3Uncles: asHash(f[1]),
    miner: asAddress(f[2]),
    stateRoot: asHash(f[3]),
    transactionsRoot: asHash(f[4]),
    receiptsRoot: asHash(f[5]),
    logsBloom: asHex(f[6], 256),
    difficulty: asInteger(f[7], 256),
    number: asInteger(f[8], 64),
    gasLimit: asInteger(f[9], 64),
    gasUsed: asInteger(f[10], 64),
    timestamp: asInteger(f[11], 64),
    extraData: asHex(f[12]),
    mixHash: asHash(f[13]),
    nonce: asHex(f[14], 8),
    ...decodeOptional(f),
  };
}

/** The block hash: Keccak-256 of the header's RLP. */
export function headerHash(rlp: Uint8Array): Hash {
  return bytesToHex(keccak256(rlp));
}
