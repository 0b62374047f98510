/**
 * The nouns of proofs, batches, anchors and receipts as types. Owns shapes only; bytes and hashes are made beside the
 * noun's own file. `Uint8Array` is used on the inside, text encodings only inside `Receipt`.
 */
import type { Address, Hash, Hex } from "@cairn/primitives";

/** JSON as it comes out of `JSON.parse`. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** An object of JSON values. */
export type JsonObject = { readonly [key: string]: JsonValue };

/** A proof is verified by every validator; a commitment is only carried. */
export type StatementKind = "proof" | "commitment";

/** What one leaf says, before hashing (docs/formats.md, record v1). Hashes and salt are 32 bytes. */
export interface LeafRecord {
  readonly kind: StatementKind;
  readonly system: string;
  readonly curve: string;
  readonly encoding: string;
  readonly version: string;
  readonly vkHash: Uint8Array;
  readonly publicInputsHash: Uint8Array;
  /** Alias-resolved, lower-case. */
  readonly chainId: string;
  /** Below 2^64; null when the submission named none. */
  readonly blockNumber: bigint | null;
  readonly salt: Uint8Array;
}

/** What decides the id of a submission (docs/formats.md, submission `id`). */
export interface SubmissionContent {
  readonly environment: string;
  readonly account: string;
  readonly chainId: string;
  readonly blockNumber: bigint | null;
  /** Empty for direct submissions, `kind:name|height|block hash|log index` for the reader's. */
  readonly source: string;
  /** The `proof_data` text as sent; hashed as UTF-8. */
  readonly proofData: string | Uint8Array;
}

/** Batch header v1. `root` and `previous` are 32 bytes; `previous` is zeros for a submitter's first batch. */
export interface BatchHeader {
  readonly chainId: bigint;
  /** 20 bytes. */
  readonly submitter: Uint8Array;
  /** From 1. */
  readonly number: bigint;
  readonly size: number;
  readonly root: Uint8Array;
  readonly previous: Uint8Array;
}

/** Anchor header v1: binds sequence and size of the tree over batch commitments. */
export interface AnchorHeader {
  /** From 1. */
  readonly sequence: bigint;
  readonly size: number;
  readonly root: Uint8Array;
}

/** One verification key of a `VerifyProofs` input. */
export interface VerifyKey {
  /** See `SYSTEM_TAGS`. */
  readonly systemTag: number;
  readonly key: Uint8Array;
}

/** One slot of a `VerifyProofs` input; its index is the leaf's index. */
export interface VerifySlot {
  readonly kind: StatementKind;
  /** Index into `keys`; null (0xffff) for a commitment. */
  readonly keyIndex: number | null;
  /** Index into the payers of `ProofHub.settle`; null: nobody pays on chain. */
  readonly payerIndex: number | null;
  readonly priceWei: bigint;
  /** Canonical proof bytes, or the value of a commitment. */
  readonly proof: Uint8Array;
  /** Each input as 32 bytes big-endian; empty for a commitment. */
  readonly publicInputs: Uint8Array;
  readonly record: Uint8Array;
}

/** The `VerifyProofs` input v1. */
export interface VerifyProofsInput {
  readonly keys: readonly VerifyKey[];
  readonly payerCount: number;
  readonly slots: readonly VerifySlot[];
}

/** Networks a receipt may be anchored on. */
export type BitcoinNetwork = "mainnet" | "testnet4" | "signet" | "regtest";

/** The record's fields as text. */
export interface ReceiptStatement {
  readonly kind: StatementKind;
  readonly system: string;
  readonly curve: string;
  readonly encoding: string;
  readonly version: string;
  readonly vk_hash: Hash;
  readonly public_inputs_hash: Hash;
  readonly chain_id: string;
  /** Decimal text. */
  readonly block_number: string | null;
  readonly salt: Hash;
}

/** The leaf: `hash` is SHA-256 of `preimage`, which holds `proof_hash` and `record`. */
export interface ReceiptLeaf {
  readonly proof_hash: Hash;
  readonly record: Hex;
  readonly preimage: Hex;
  readonly hash: Hash;
}

/** The batch and the leaf's path to its root (RFC 6962). */
export interface ReceiptBatch {
  readonly number: number;
  readonly root: Hash;
  readonly size: number;
  readonly index: number;
  /** Siblings from the leaf up. */
  readonly path: readonly Hash[];
  readonly header: Hex;
  readonly commitment: Hash;
}

/** CometBFT's own JSON spellings; `validators` without `proposer_priority`; `commit` with just enough signatures. */
export interface ReceiptConsensus {
  readonly header: JsonObject;
  readonly commit: JsonObject;
  readonly validators: readonly JsonObject[];
}

/** The settlement: a transaction and its log, proven in a block's header. */
export interface ReceiptSettlement {
  /** EVM chain id. */
  readonly chain_id: number;
  readonly hub: Address;
  /** EIP-2718 bytes. */
  readonly transaction_rlp: Hex;
  /** Trie nodes, root first. */
  readonly transaction_proof: readonly Hex[];
  /** EIP-2718 bytes of the transaction receipt. */
  readonly receipt_rlp: Hex;
  readonly receipt_proof: readonly Hex[];
  /** Of the transaction in its block. */
  readonly index: number;
  readonly header_rlp: Hex;
  /** Of the height after the settlement's block. */
  readonly consensus: ReceiptConsensus;
}

/** Bitcoin's own spellings: no 0x, hashes in display order. */
export interface ReceiptAnchor {
  readonly network: BitcoinNetwork;
  readonly genesis_hash: string;
  readonly sequence: number;
  /** Of the anchor tree, 0x-hex. */
  readonly root: Hash;
  readonly path: readonly Hash[];
  readonly size: number;
  readonly index: number;
  /** Without witness. */
  readonly raw_tx: string;
  /** Index of the OP_RETURN output. */
  readonly output: number;
  /** The 80 bytes of the block header. */
  readonly header: string;
  readonly height: number;
  readonly tx_index: number;
  readonly branch: readonly string[];
  readonly coinbase_tx: string;
  readonly coinbase_branch: readonly string[];
}

/** A receipt, version 1 (`application/vnd.cairn.receipt+json`). `anchor` is null before the anchor is mined. */
export interface Receipt {
  readonly version: 1;
  /** Not proven; any JSON object. */
  readonly info: JsonObject;
  readonly statement: ReceiptStatement;
  readonly leaf: ReceiptLeaf;
  readonly batch: ReceiptBatch;
  readonly settlement: ReceiptSettlement;
  readonly anchor: ReceiptAnchor | null;
}

/** What `settlementPart` needs: the whole settlement block, and the consensus side of the next height. */
export interface SettlementParts {
  readonly chainId: bigint;
  readonly hub: Address;
  /** RLP of the block's header. */
  readonly header: Uint8Array;
  /** Raw (EIP-2718) transactions of the block in order. */
  readonly transactions: readonly Uint8Array[];
  /** Consensus (EIP-2718) encodings of the block's receipts in order. */
  readonly receipts: readonly Uint8Array[];
  /** Of the settlement among them. */
  readonly index: number;
  /** As the consensus RPC's `commit` and `validators` answer for height + 1. */
  readonly consensus: {
    readonly header: JsonObject;
    readonly commit: JsonObject;
    readonly validators: readonly JsonObject[];
  };
}

/** What `anchorPart` needs: the batch commitments of the anchor, and the whole Bitcoin block. */
export interface AnchorParts {
  readonly network: BitcoinNetwork;
  readonly sequence: bigint;
  /** All batch commitments of the anchor, in order. */
  readonly commitments: readonly Uint8Array[];
  /** Of this receipt's batch among them. */
  readonly index: number;
  /** Display order. */
  readonly txid: string;
  /** The block's bytes (`getblock HASH 0`). */
  readonly block: Uint8Array;
}

/** What `assembleReceipt` joins. `settlement` and `anchor` are shared by the receipts of one batch. */
export interface ReceiptParts {
  readonly info: JsonObject;
  readonly record: LeafRecord;
  readonly proofHash: Uint8Array;
  readonly batch: {
    readonly header: BatchHeader;
    /** Leaf hashes of all slots in order. */
    readonly leaves: readonly Uint8Array[];
    readonly index: number;
  };
  readonly settlement: ReceiptSettlement;
  readonly anchor: ReceiptAnchor | null;
}
