/** CometBFT chains and Celestia's node: the hash is the Merkle root of the header's fields. */

import { bytesToUpperHex, encodeHeader, headerFromJson, headerHash } from "@cairn/comet";
import { bytesToHex } from "@cairn/primitives";
import { undecodable } from "../endpoint-error.ts";
import type { Json } from "../foreign-block.ts";
import { atPointer } from "../json-pointer.ts";
import type { FamilyRow, ProvenHeader } from "./family.ts";

const RULE = "recomputed: CometBFT's Merkle root of the header's fields";

/** Heights above the head, in CometBFT's words. */
const ABOVE_HEAD = /must be less than or equal to the current blockchain height/;

const STATUS = { transport: "rpc", method: "status", params: {} } as const;

/** The row of CometBFT's `block`. */
export const COMET_BLOCK: FamilyRow = {
  name: "cometbft",
  title: "CometBFT (Cosmos chains, Cairn)",
  methods: ["block"],
  head: { ...STATUS, at: "/sync_info/latest_block_height" },
  tags: { finalized: { ...STATUS, at: "/sync_info/latest_block_height" } },
  block: { transport: "rpc", method: "block", params: { height: "{decimal}" } },
  hash: "/block_id/hash",
  spelling: "hex",
  number: "/block/header/height",
  parent: "/block/header/last_block_id/hash",
  identity: { network: { ...STATUS, at: "/node_info/network" } },
  missing: (error) => ABOVE_HEAD.test(error.said),
  prove: (block) => prove(atPointer(block, "/block/header")),
  hashRule: RULE,
};

/** The row of CometBFT's `commit`. */
export const COMET_COMMIT: FamilyRow = {
  ...COMET_BLOCK,
  methods: ["commit"],
  block: { transport: "rpc", method: "commit", params: { height: "{decimal}" } },
  hash: "/signed_header/commit/block_id/hash",
  number: "/signed_header/header/height",
  parent: "/signed_header/header/last_block_id/hash",
  prove: (block) => prove(atPointer(block, "/signed_header/header")),
};

const NETWORK_HEAD = { transport: "rpc", method: "header.NetworkHead", params: [] } as const;

/** The row of Celestia's node API. */
export const CELESTIA: FamilyRow = {
  name: "celestia",
  title: "Celestia (node API)",
  methods: ["header.GetByHeight", "header.NetworkHead", "header.LocalHead"],
  head: { ...NETWORK_HEAD, at: "/header/height" },
  tags: { finalized: { ...NETWORK_HEAD, at: "/header/height" } },
  block: { transport: "rpc", method: "header.GetByHeight", params: ["{number}"] },
  hash: "/commit/block_id/hash",
  spelling: "hex",
  number: "/header/height",
  parent: "/header/last_block_id/hash",
  identity: { network: { ...NETWORK_HEAD, at: "/header/chain_id" } },
  missing: (error) => /from the future|not found/.test(error.said),
  prove: (block) => prove(atPointer(block, "/header")),
  hashRule: RULE,
};

function prove(value: unknown): ProvenHeader {
  try {
    const header = headerFromJson(spelled(value));
    return { hash: bytesToUpperHex(headerHash(header)), header: bytesToHex(encodeHeader(header)) };
  } catch {
    throw undecodable("the header is not one of CometBFT");
  }
}

/** Hosts differ in whether integers of 64 bits are text or numbers, and in spelling an empty application version. */
function spelled(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const header = value as Readonly<Record<string, Json>>;
  const version = header.version as { readonly block?: Json; readonly app?: Json } | undefined;
  const app = version?.app === undefined || String(version.app) === "0" ? {} : { app: String(version.app) };
  const json = { ...header, height: String(header.height), version: { block: String(version?.block), ...app } };
  return json;
}
