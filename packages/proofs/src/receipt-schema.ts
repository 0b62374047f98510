/**
 * JSON Schema (2020-12) of a receipt, version 1: names every member and its encoding. The verifier reads receipts by
 * this value. Consensus parts are checked for their exact spelling by `@cairn/comet`.
 */

const hash = { type: "string", pattern: "^0x[0-9a-f]{64}$", description: "32 bytes, 0x and lower-case hex" } as const;
const address = {
  type: "string",
  pattern: "^0x[0-9a-f]{40}$",
  description: "20 bytes, 0x and lower-case hex",
} as const;
const hex = {
  type: "string",
  pattern: "^0x([0-9a-f]{2})+$",
  maxLength: 4_194_306,
  description: "bytes, 0x and lower-case hex",
} as const;
const plainHex = {
  type: "string",
  pattern: "^([0-9a-f]{2})+$",
  maxLength: 200_000,
  description: "bytes, lower-case hex as Bitcoin's tools print them",
} as const;
const displayHash = {
  type: "string",
  pattern: "^[0-9a-f]{64}$",
  description: "32 bytes in Bitcoin's display order, lower-case hex",
} as const;
const name = { type: "string", maxLength: 255 } as const;
const count = { type: "integer", minimum: 0, maximum: 4_294_967_295 } as const;
const ordinal = { type: "integer", minimum: 1, maximum: 9_007_199_254_740_991 } as const;
const path = { type: "array", items: hash, maxItems: 32, description: "siblings from the leaf up" } as const;
const nodes = { type: "array", items: hex, maxItems: 16, description: "trie nodes, root first" } as const;
const branch = { type: "array", items: displayHash, maxItems: 17, description: "siblings from the leaf up" } as const;

function object<const P extends Record<string, unknown>>(properties: P) {
  return { type: "object", properties, required: Object.keys(properties), additionalProperties: false } as const;
}

const statement = object({
  kind: { enum: ["proof", "commitment"] },
  system: name,
  curve: name,
  encoding: name,
  version: name,
  vk_hash: hash,
  public_inputs_hash: hash,
  chain_id: name,
  block_number: {
    anyOf: [{ type: "null" }, { type: "string", pattern: "^(0|[1-9][0-9]{0,19})$", description: "decimal" }],
  },
  salt: hash,
});

const leaf = object({ proof_hash: hash, record: hex, preimage: hex, hash });

const batch = object({
  number: ordinal,
  root: hash,
  size: count,
  index: count,
  path,
  header: hex,
  commitment: hash,
});

const consensus = object({
  header: { type: "object", description: "CometBFT's JSON of the header after the settlement's block" },
  commit: { type: "object", description: "CometBFT's JSON, just enough signatures for more than two thirds" },
  validators: {
    type: "array",
    items: { type: "object", description: "CometBFT's JSON without proposer_priority" },
    maxItems: 1000,
  },
});

const settlement = object({
  chain_id: ordinal,
  hub: address,
  transaction_rlp: hex,
  transaction_proof: nodes,
  receipt_rlp: hex,
  receipt_proof: nodes,
  index: count,
  header_rlp: hex,
  consensus,
});

const anchor = object({
  network: { enum: ["mainnet", "testnet4", "signet", "regtest"] },
  genesis_hash: displayHash,
  sequence: ordinal,
  root: hash,
  path,
  size: count,
  index: count,
  raw_tx: plainHex,
  output: count,
  header: { type: "string", pattern: "^[0-9a-f]{160}$", description: "80 bytes, lower-case hex" },
  height: count,
  tx_index: count,
  branch,
  coinbase_tx: plainHex,
  coinbase_branch: branch,
});

/** JSON Schema of `application/vnd.cairn.receipt+json`, version 1. */
export const receiptSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "Cairn receipt, version 1",
  ...object({
    version: { const: 1 },
    info: { type: "object", description: "not proven" },
    statement,
    leaf,
    batch,
    settlement,
    anchor: { anyOf: [{ type: "null" }, anchor] },
  }),
} as const;
