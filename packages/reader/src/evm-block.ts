/** An EVM block header as an endpoint reports it: checked field by field and against its own hash. */
import {
  type Address,
  encodeHeader,
  type Hash,
  type Header,
  type Hex,
  headerHash,
  parseQuantity,
} from "@cairn/primitives";
import { EndpointError } from "./endpoint.ts";

/** What the reader keeps of a block. */
export interface ForeignBlock {
  readonly height: bigint;
  readonly hash: Hash;
  readonly parentHash: Hash;
  /** The header's RLP, whose keccak-256 is `hash`. */
  readonly headerRlp: Uint8Array;
}

type Fields = Readonly<Record<string, unknown>>;

/** Decodes `eth_getBlockByNumber`'s result; throws EndpointError when it is not the block of that height. */
export function decodeEvmBlock(value: unknown, height: bigint): ForeignBlock {
  if (typeof value !== "object" || value === null) throw shape("the block is no object");
  const fields = value as Fields;
  const header = toHeader(fields);
  const hash = hex(fields, "hash", 32);
  if (header.number !== height) throw shape(`asked for block ${height}, got ${header.number}`);
  const headerRlp = encodeHeader(header);
  if (headerHash(headerRlp) !== hash) throw shape(`the header of block ${height} does not hash to its hash`);
  return { height, hash, parentHash: header.parentHash, headerRlp };
}

function toHeader(fields: Fields): Header {
  return {
    parentHash: hex(fields, "parentHash", 32),
    sha3Uncles: hex(fields, "sha3Uncles", 32),
    miner: hex(fields, "miner", 20) as Address,
    stateRoot: hex(fields, "stateRoot", 32),
    transactionsRoot: hex(fields, "transactionsRoot", 32),
    receiptsRoot: hex(fields, "receiptsRoot", 32),
    logsBloom: hex(fields, "logsBloom", 256),
    difficulty: quantity(fields, "difficulty"),
    number: quantity(fields, "number"),
    gasLimit: quantity(fields, "gasLimit"),
    gasUsed: quantity(fields, "gasUsed"),
    timestamp: quantity(fields, "timestamp"),
    extraData: hex(fields, "extraData"),
    mixHash: hex(fields, "mixHash", 32),
    nonce: hex(fields, "nonce", 8),
    ...optional(fields, "baseFeePerGas", quantity),
    ...optional(fields, "withdrawalsRoot", hex),
    ...optional(fields, "blobGasUsed", quantity),
    ...optional(fields, "excessBlobGas", quantity),
    ...optional(fields, "parentBeaconBlockRoot", hex),
    ...optional(fields, "requestsHash", hex),
  };
}

function optional<K extends string, T>(fields: Fields, key: K, read: (f: Fields, k: K) => T): { [P in K]?: T } {
  if (fields[key] === undefined || fields[key] === null) return {};
  const member: { [P in K]?: T } = {};
  member[key] = read(fields, key);
  return member;
}

function hex(fields: Fields, key: string, bytes?: number): Hex {
  const value = fields[key];
  const length = bytes === undefined ? "{0,2048}" : `{${bytes * 2}}`;
  if (typeof value !== "string" || !new RegExp(`^0x[0-9a-fA-F]${length}$`).test(value)) {
    throw shape(`header field ${key} is not the expected hex`);
  }
  return value.toLowerCase() as Hex;
}

function quantity(fields: Fields, key: string): bigint {
  const value = fields[key];
  try {
    return parseQuantity(typeof value === "string" ? value : "");
  } catch {
    throw shape(`header field ${key} is not a quantity`);
  }
}

function shape(message: string): EndpointError {
  return new EndpointError("unexpected-shape", message);
}
