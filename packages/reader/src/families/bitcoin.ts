/** Bitcoin and its relatives: `getblockheader`; the hash is the double SHA-256 of 80 bytes that carry their own work. */
import {
  checkProofOfWork,
  displayHash,
  encodeHex,
  headerHash,
  parseDisplayHash,
  parseHeader,
  serializeHeader,
} from "@cairn/bitcoin";
import { undecodable } from "../endpoint-error.ts";
import type { FamilyRow, ProvenHeader } from "./family.ts";

const HEIGHT_OUT_OF_RANGE = -8;

/** The row of Bitcoin. */
export const BITCOIN: FamilyRow = {
  name: "bitcoin",
  title: "Bitcoin (bitcoind, btcd)",
  methods: ["getblockheader", "getblock", "getblockhash"],
  head: { transport: "rpc", method: "getblockcount", params: [], at: "" },
  tags: {},
  block: {
    transport: "rpc",
    method: "getblockheader",
    params: ["{via}", true],
    via: { method: "getblockhash", params: ["{number}"] },
  },
  hash: "{via}",
  spelling: "hex",
  number: "/height",
  parent: "/previousblockhash",
  identity: {
    network: { transport: "rpc", method: "getblockchaininfo", params: [], at: "/chain" },
    genesis: { transport: "rpc", method: "getblockhash", params: [0], at: "" },
  },
  missing: (error) => error.status === HEIGHT_OUT_OF_RANGE || /out of range/i.test(error.said),
  prove,
  hashRule: "recomputed: double SHA-256 of the 80 bytes, and the proof of work they state",
};

function prove(block: unknown): ProvenHeader {
  const fields = (block ?? {}) as Readonly<Record<string, unknown>>;
  const bits = typeof fields.bits === "string" && /^[0-9a-f]{1,8}$/.test(fields.bits) ? fields.bits : "";
  const bytes = serializeHeader({
    version: integer(fields.version, "version") | 0,
    previous: hash(fields.previousblockhash ?? "00".repeat(32), "previousblockhash"),
    merkleRoot: hash(fields.merkleroot, "merkleroot"),
    time: integer(fields.time, "time"),
    bits: Number.parseInt(bits, 16) || 0,
    nonce: integer(fields.nonce, "nonce"),
  });
  const header = parseHeader(bytes);
  if (!checkProofOfWork(header)) throw undecodable("the header does not carry the work it states");
  return { hash: displayHash(headerHash(header)), header: `0x${encodeHex(bytes)}` };
}

function integer(value: unknown, name: string): number {
  if (typeof value !== "number" || !Number.isInteger(value) || value < -(2 ** 31) || value >= 2 ** 32) {
    throw undecodable(`header field ${name} is not a 32-bit number`);
  }
  return value;
}

function hash(value: unknown, name: string): Uint8Array {
  if (typeof value !== "string" || !/^[0-9a-f]{64}$/.test(value)) throw undecodable(`header field ${name} is no hash`);
  return parseDisplayHash(value);
}
