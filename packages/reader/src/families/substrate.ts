/** Substrate chains (Polkadot, Kusama, Avail): the hash is BLAKE2b-256 of the SCALE-encoded header. */
import { bytesToHex, concatBytes, hexToBytes, isHex } from "@cairn/primitives";
import { blake2b } from "@noble/hashes/blake2.js";
import { undecodable } from "../endpoint-error.ts";
import { type Json, readHeight } from "../foreign-block.ts";
import type { FamilyRow, ProvenHeader } from "./family.ts";

/** The row of Substrate chains. */
export const SUBSTRATE: FamilyRow = {
  name: "substrate",
  title: "Substrate (Polkadot, Kusama, Avail)",
  methods: ["chain_getHeader", "chain_getBlockHash", "chain_getBlock", "chain_getFinalizedHead"],
  head: { transport: "rpc", method: "chain_getHeader", params: [], at: "/number" },
  tags: {
    finalized: {
      transport: "rpc",
      method: "chain_getHeader",
      params: ["{via}"],
      via: { method: "chain_getFinalizedHead", params: [] },
      at: "/number",
    },
  },
  block: {
    transport: "rpc",
    method: "chain_getHeader",
    params: ["{via}"],
    via: { method: "chain_getBlockHash", params: ["{number}"] },
  },
  hash: "{via}",
  spelling: "hex",
  number: "/number",
  parent: "/parentHash",
  identity: {
    network: { transport: "rpc", method: "system_chain", params: [], at: "" },
    genesis: { transport: "rpc", method: "chain_getBlockHash", params: [0], at: "" },
  },
  prove,
  hashRule:
    "recomputed: BLAKE2b-256 of the SCALE header; not for headers with an extension (Avail), which are kept as answered",
};

function prove(value: unknown): ProvenHeader {
  const header = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (header.extension !== undefined) return { hash: undefined, header: header as Json };
  const logs = (header.digest as { readonly logs?: unknown } | undefined)?.logs;
  if (!Array.isArray(logs)) throw undecodable("header field digest has no logs");
  const bytes = concatBytes(
    word(header.parentHash, "parentHash"),
    compact(readHeight(header.number, "header field number")),
    word(header.stateRoot, "stateRoot"),
    word(header.extrinsicsRoot, "extrinsicsRoot"),
    compact(BigInt(logs.length)),
    ...logs.map((log) => raw(log)),
  );
  return { hash: bytesToHex(blake2b(bytes, { dkLen: 32 })), header: bytesToHex(bytes) };
}

function word(value: unknown, name: string): Uint8Array {
  if (typeof value !== "string" || !/^0x[0-9a-fA-F]{64}$/.test(value)) {
    throw undecodable(`header field ${name} is not 32 bytes of hex`);
  }
  return hexToBytes(value);
}

const MOST_LOG_BYTES = 32_768;

/** A digest item as the node gives it: already SCALE-encoded. */
function raw(log: unknown): Uint8Array {
  if (typeof log !== "string" || !isHex(log) || log.length < 4 || log.length > 2 + 2 * MOST_LOG_BYTES)
    throw undecodable("a digest log is no hex");
  return hexToBytes(log);
}

/** SCALE's compact integer, up to 2^53. */
function compact(value: bigint): Uint8Array {
  if (value < 1n << 6n) return littleEndian(value << 2n, 1);
  if (value < 1n << 14n) return littleEndian((value << 2n) | 1n, 2);
  if (value < 1n << 30n) return littleEndian((value << 2n) | 2n, 4);
  const length = Math.max(4, Math.ceil(value.toString(16).length / 2));
  return concatBytes(Uint8Array.of(((length - 4) << 2) | 3), littleEndian(value, length));
}

function littleEndian(value: bigint, length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, i) => Number((value >> BigInt(8 * i)) & 0xffn));
}
