/** Families whose hash rule the reader does not recompute: what the chain answers is kept as answered. */
import type { FamilyRow } from "./family.ts";

const SLOT_SKIPPED = new Set([-32_007, -32_009]);
const SLOT_NOT_YET = new Set([-32_004, -32_014]);
const FINALIZED_SLOT = { transport: "rpc", method: "getSlot", params: [{ commitment: "finalized" }], at: "" } as const;

const SOLANA: FamilyRow = {
  name: "solana",
  title: "Solana (finalized slots)",
  methods: ["getBlock"],
  head: FINALIZED_SLOT,
  tags: { finalized: FINALIZED_SLOT },
  block: {
    transport: "rpc",
    method: "getBlock",
    params: [
      "{number}",
      { commitment: "finalized", transactionDetails: "none", rewards: false, maxSupportedTransactionVersion: 0 },
    ],
  },
  hash: "/blockhash",
  spelling: "base58",
  number: undefined,
  parent: "/previousBlockhash",
  parentNumber: "/parentSlot",
  identity: { genesis: { transport: "rpc", method: "getGenesisHash", params: [], at: "" } },
  skipped: (error) => SLOT_SKIPPED.has(error.status ?? 0),
  missing: (error) => SLOT_NOT_YET.has(error.status ?? 0),
  hashRule: "as answered; heights are slots, skipped ones are passed over",
};

const BLOCK_NOT_FOUND = 24;
const STARKNET_BLOCK = "starknet_getBlockWithTxHashes";

const STARKNET: FamilyRow = {
  name: "starknet",
  title: "Starknet",
  methods: [STARKNET_BLOCK],
  head: { transport: "rpc", method: "starknet_blockNumber", params: [], at: "" },
  tags: { finalized: { transport: "rpc", method: STARKNET_BLOCK, params: ["l1_accepted"], at: "/block_number" } },
  block: { transport: "rpc", method: STARKNET_BLOCK, params: [{ block_number: "{number}" }] },
  hash: "/block_hash",
  spelling: "felt",
  number: "/block_number",
  parent: "/parent_hash",
  identity: { network: { transport: "rpc", method: "starknet_chainId", params: [], at: "" } },
  missing: (error) => error.status === BLOCK_NOT_FOUND,
  hashRule: "as answered, padded to 32 bytes; `finalized` means accepted on L1",
};

const NEAR_FINAL = { transport: "rpc", method: "block", params: { finality: "final" }, at: "/header/height" } as const;

const NEAR: FamilyRow = {
  name: "near",
  title: "NEAR (final blocks)",
  methods: ["block"],
  head: NEAR_FINAL,
  tags: { finalized: NEAR_FINAL },
  block: { transport: "rpc", method: "block", params: { block_id: "{number}" } },
  hash: "/header/hash",
  spelling: "base58",
  number: "/header/height",
  parent: "/header/prev_hash",
  parentNumber: "/header/prev_height",
  identity: { network: { transport: "rpc", method: "status", params: [], at: "/chain_id" } },
  skipped: (error) => error.said.includes("UNKNOWN_BLOCK"),
  hashRule: 'as answered; needs `family = "near"`, since CometBFT names its method `block` too',
};

const APTOS_LEDGER = { transport: "get", method: "/v1", at: "/block_height" } as const;

const APTOS: FamilyRow = {
  name: "aptos",
  title: "Aptos (REST)",
  methods: ["blocks/by_height", "by_height"],
  head: APTOS_LEDGER,
  tags: { finalized: APTOS_LEDGER },
  block: { transport: "get", method: "/v1/blocks/by_height/{decimal}?with_transactions=false" },
  hash: "/block_hash",
  spelling: "hex",
  number: "/block_height",
  parent: undefined,
  identity: { chainId: { transport: "get", method: "/v1", at: "/chain_id" } },
  missing: (error) => error.status === 404,
  hashRule: "as answered; the answer names no parent, so the chain's own finality is relied on",
};

/** Their rows. */
export const ANSWERED: readonly FamilyRow[] = [SOLANA, STARKNET, NEAR, APTOS];
