/** Tron's REST API: a block's id is its height in eight bytes, then the SHA-256 of the header from its ninth byte on. */
import { bytesToHex, concatBytes, hexToBytes, sha256 } from "@cairn/primitives";
import { undecodable } from "../endpoint-error.ts";
import { readHeight } from "../foreign-block.ts";
import { atPointer } from "../json-pointer.ts";
import { lengthField, varintField } from "../protobuf.ts";
import type { FamilyRow, ProvenHeader } from "./family.ts";

const SOLID_HEAD = { transport: "post", method: "/walletsolidity/getnowblock", params: {} } as const;
const NUMBER = "/block_header/raw_data/number";

/** The row of Tron: solidified blocks only. */
export const TRON: FamilyRow = {
  name: "tron",
  title: "Tron (solidified blocks)",
  methods: ["getblockbynum", "wallet/getblockbynum", "walletsolidity/getblockbynum"],
  head: { ...SOLID_HEAD, at: NUMBER },
  tags: { finalized: { ...SOLID_HEAD, at: NUMBER } },
  block: { transport: "post", method: "/walletsolidity/getblockbynum", params: { num: "{number}" } },
  hash: "/blockID",
  spelling: "hex",
  number: NUMBER,
  parent: "/block_header/raw_data/parentHash",
  identity: {
    genesis: { transport: "post", method: "/walletsolidity/getblockbynum", params: { num: 1 }, at: "/blockID" },
  },
  prove,
  hashRule: "recomputed: SHA-256 of the header's protobuf with the height in front",
};

function prove(block: unknown): ProvenHeader {
  const raw = atPointer(block, "/block_header/raw_data");
  if (typeof raw !== "object" || raw === null) throw undecodable("the block has no raw header");
  const fields = raw as Readonly<Record<string, unknown>>;
  const number = readHeight(fields.number, "header field number");
  const bytes = concatBytes(
    integer(1, fields.timestamp),
    bytesField(2, fields.txTrieRoot),
    bytesField(3, fields.parentHash),
    integer(7, fields.number),
    integer(8, fields.witness_id),
    bytesField(9, fields.witness_address),
    integer(10, fields.version),
    bytesField(11, fields.accountStateRoot),
  );
  const height = number.toString(16).padStart(16, "0");
  return { hash: `${height}${bytesToHex(sha256(bytes)).slice(18)}`, header: bytesToHex(bytes) };
}

/** Protobuf: fields of value zero are left out. */
function integer(field: number, value: unknown): Uint8Array {
  const number = readHeight(value ?? 0, `header field ${field}`);
  return number === 0n ? new Uint8Array(0) : varintField(field, number);
}

function bytesField(field: number, value: unknown): Uint8Array {
  if (value === undefined || value === "") return new Uint8Array(0);
  if (typeof value !== "string" || !/^([0-9a-fA-F]{2}){1,64}$/.test(value)) {
    throw undecodable(`header field ${field} is no hex`);
  }
  return lengthField(field, hexToBytes(`0x${value}`));
}
