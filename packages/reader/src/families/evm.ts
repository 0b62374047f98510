/** EVM chains: `eth_getBlockByNumber`; the hash is keccak-256 of the header's RLP. */
import {
  type Address,
  bytesToHex,
  encodeHeader,
  type Header,
  type Hex,
  headerHash,
  parseQuantity,
} from "@cairn/primitives";
import { undecodable } from "../endpoint-error.ts";
import type { FamilyRow, ProvenHeader } from "./family.ts";

/** The row of EVM chains. */
export const EVM: FamilyRow = {
  name: "evm",
  title: "EVM (Ethereum, rollups, BSC, …)",
  methods: ["eth_getBlockByNumber"],
  head: { transport: "rpc", method: "eth_blockNumber", params: [], at: "" },
  tags: {
    finalized: { transport: "rpc", method: "eth_getBlockByNumber", params: ["finalized", false], at: "/number" },
    safe: { transport: "rpc", method: "eth_getBlockByNumber", params: ["safe", false], at: "/number" },
  },
  block: { transport: "rpc", method: "eth_getBlockByNumber", params: ["{hex}", false] },
  hash: "/hash",
  spelling: "hex",
  number: "/number",
  parent: "/parentHash",
  identity: {
    chainId: { transport: "rpc", method: "eth_chainId", params: [], at: "" },
    genesis: { transport: "rpc", method: "eth_getBlockByNumber", params: ["0x0", false], at: "/hash" },
  },
  prove,
  hashRule: "recomputed: keccak-256 of the header's RLP (`hash_check = false` where a chain has its own rule)",
};

type Fields = Readonly<Record<string, unknown>>;

function prove(block: unknown): ProvenHeader {
  if (typeof block !== "object" || block === null) throw undecodable("the block is no object");
  const headerRlp = encodeHeader(toHeader(block as Fields));
  return { hash: headerHash(headerRlp), header: bytesToHex(headerRlp) };
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
    throw undecodable(`header field ${key} is not the expected hex`);
  }
  return value.toLowerCase() as Hex;
}

function quantity(fields: Fields, key: string): bigint {
  const value = fields[key];
  try {
    return parseQuantity(typeof value === "string" ? value : "");
  } catch {
    throw undecodable(`header field ${key} is not a quantity`);
  }
}
