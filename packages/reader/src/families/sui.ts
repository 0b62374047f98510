/**
 * Sui's checkpoints. Over gRPC the summary's bytes come along, and the digest is recomputed: BLAKE2b-256 of
 * `CheckpointSummary::` and the summary in BCS. Over JSON-RPC, which Sui has given up, it is as answered.
 */
import { bytesToHex, concatBytes, equalBytes, hexToBytes, isHex } from "@cairn/primitives";
import { blake2b } from "@noble/hashes/blake2.js";
import { undecodable } from "../endpoint-error.ts";
import { readHash, readHeight } from "../foreign-block.ts";
import { atPointer } from "../json-pointer.ts";
import type { FamilyRow, ProvenHeader } from "./family.ts";

const LEDGER = "/sui.rpc.v2.LedgerService";

/** Field numbers of `sui.rpc.v2`. */
const CHECKPOINT = {
  1: ["sequenceNumber", "uint64"],
  2: ["digest", "text"],
  3: ["summary", { 1: ["bcs", { 2: ["value", "bytes"] }], 7: ["previousDigest", "text"] }],
} as const;
const GET_CHECKPOINT = {
  request: { 1: ["sequenceNumber", "uint64"], 3: ["readMask", { 1: ["paths", "texts"] }] },
  response: { 1: ["checkpoint", CHECKPOINT] },
} as const;
const GET_SERVICE_INFO = {
  request: {},
  response: { 1: ["chainId", "text"], 4: ["checkpointHeight", "uint64"] },
} as const;

const SERVICE_INFO = { transport: "grpc", method: `${LEDGER}/GetServiceInfo`, message: GET_SERVICE_INFO } as const;
const GRPC_HEAD = { ...SERVICE_INFO, at: "/checkpointHeight" } as const;
const NOT_FOUND = 5;

/** The row of Sui over gRPC. */
export const SUI_GRPC: FamilyRow = {
  name: "sui",
  title: "Sui (checkpoints, gRPC)",
  methods: ["sui.rpc.v2.LedgerService/GetCheckpoint", "GetCheckpoint"],
  head: GRPC_HEAD,
  tags: { finalized: GRPC_HEAD },
  block: {
    transport: "grpc",
    method: `${LEDGER}/GetCheckpoint`,
    params: {
      sequenceNumber: "{decimal}",
      readMask: { paths: ["sequence_number", "digest", "summary.bcs", "summary.previous_digest"] },
    },
    message: GET_CHECKPOINT,
  },
  hash: "/checkpoint/digest",
  spelling: "base58",
  number: "/checkpoint/sequenceNumber",
  parent: "/checkpoint/summary/previousDigest",
  identity: { genesis: { ...SERVICE_INFO, at: "/chainId" } },
  missing: (error) => error.status === NOT_FOUND,
  prove,
  hashRule: "over gRPC recomputed: BLAKE2b-256 of the summary's BCS; over JSON-RPC as answered",
};

const JSON_HEAD = { transport: "rpc", method: "sui_getLatestCheckpointSequenceNumber", params: [], at: "" } as const;

/** The row of Sui over JSON-RPC. */
export const SUI_JSON: FamilyRow = {
  name: "sui",
  title: "Sui (checkpoints, JSON-RPC)",
  methods: ["sui_getCheckpoint"],
  head: JSON_HEAD,
  tags: { finalized: JSON_HEAD },
  block: { transport: "rpc", method: "sui_getCheckpoint", params: ["{decimal}"] },
  hash: "/digest",
  spelling: "base58",
  number: "/sequenceNumber",
  parent: "/previousDigest",
  identity: {
    network: { transport: "rpc", method: "sui_getChainIdentifier", params: [], at: "" },
    genesis: { transport: "rpc", method: "sui_getCheckpoint", params: ["0"], at: "/digest" },
  },
  missing: (error) => /not found|could not find/i.test(error.said),
  hashRule: SUI_GRPC.hashRule,
};

const SALT = new TextEncoder().encode("CheckpointSummary::");
/** BCS of a summary begins: epoch, sequence number, transactions (8 bytes each), then two digests with their lengths. */
const SEQUENCE_AT = 8;
const PREVIOUS_AT = 24 + 33;

function prove(answer: unknown): ProvenHeader {
  const bcs = atPointer(answer, "/checkpoint/summary/bcs/value");
  if (typeof bcs !== "string" || !isHex(bcs)) throw undecodable("the checkpoint came without its summary's bytes");
  const bytes = hexToBytes(bcs);
  if (bytes.length < PREVIOUS_AT + 1) throw undecodable("the summary is too short");
  const sequence = Buffer.from(bytes).readBigUInt64LE(SEQUENCE_AT);
  const stated = readHeight(atPointer(answer, "/checkpoint/sequenceNumber"), "the checkpoint's sequence number");
  if (sequence !== stated) throw undecodable("the summary is of another sequence number");
  if (!equalBytes(previousIn(bytes), previousIn(answer))) throw undecodable("the summary has another previous digest");
  return { hash: bytesToHex(blake2b(concatBytes(SALT, bytes), { dkLen: 32 })), header: bytesToHex(bytes) };
}

/** The previous checkpoint's digest, of the bytes or of the answer; empty for the first one. */
function previousIn(source: unknown): Uint8Array {
  if (source instanceof Uint8Array) {
    return source[PREVIOUS_AT] === 1 ? source.subarray(PREVIOUS_AT + 2, PREVIOUS_AT + 34) : new Uint8Array(0);
  }
  const text = atPointer(source, "/checkpoint/summary/previousDigest");
  return text === undefined ? new Uint8Array(0) : hexToBytes(readHash(text, "base58", "the previous digest"));
}
