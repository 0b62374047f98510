/** Joins what a receipt is made of. Makes proofs and paths; trusts its inputs and is checked by `verifyReceipt`. */

import {
  coinbaseHeight,
  displayHash,
  encodeHex,
  merkleBranch,
  NETWORKS,
  parseBlock,
  opReturnData as readOpReturn,
  serializeHeader,
  serializeStripped,
  transactionId,
} from "@cairn/bitcoin";
import {
  type CommitSig,
  commitFromJson,
  commitToJson,
  type Validator,
  validatorsFromJson,
  validatorsToJson,
  ZERO_TIME,
} from "@cairn/comet";
import { bytesToHex, listTrieProof } from "@cairn/primitives";
import { anchorLeaf } from "./anchor-header.ts";
import { batchCommitment, batchHeader } from "./batch-header.ts";
import { leafHash, leafPreimage } from "./leaf.ts";
import { statementOf } from "./links/leaf.ts";
import { merklePath, merkleRoot } from "./merkle-tree.ts";
import { recordV1 } from "./record.ts";
import type {
  AnchorParts,
  JsonObject,
  Receipt,
  ReceiptAnchor,
  ReceiptParts,
  ReceiptSettlement,
  SettlementParts,
} from "./types.ts";

/** The `settlement` of all receipts of one batch. Throws RangeError for an index outside the block. */
export function settlementPart(parts: SettlementParts): ReceiptSettlement {
  const { transactions, receipts, index } = parts;
  return {
    chain_id: Number(parts.chainId),
    hub: parts.hub,
    transaction_rlp: bytesToHex(itemAt(transactions, index)),
    transaction_proof: listTrieProof(transactions, index).map(bytesToHex),
    receipt_rlp: bytesToHex(itemAt(receipts, index)),
    receipt_proof: listTrieProof(receipts, index).map(bytesToHex),
    index,
    header_rlp: bytesToHex(parts.header),
    consensus: consensusPart(parts.consensus),
  };
}

/** The `anchor` of the receipts of one batch, from the whole Bitcoin block. Throws RangeError when it does not fit. */
export function anchorPart(parts: AnchorParts): ReceiptAnchor {
  const block = parseBlock(parts.block);
  const txids = block.transactions.map(transactionId);
  const txIndex = txids.findIndex((id) => displayHash(id) === parts.txid);
  const transaction = itemAt(block.transactions, txIndex);
  const coinbase = itemAt(block.transactions, 0);
  const leaves = parts.commitments.map(anchorLeaf);
  const height = coinbaseHeight(coinbase);
  if (height === undefined) throw new RangeError("the coinbase states no height");
  return {
    network: parts.network,
    genesis_hash: NETWORKS[parts.network].genesisHash,
    sequence: Number(parts.sequence),
    root: bytesToHex(merkleRoot(leaves)),
    path: merklePath(leaves, parts.index).map(bytesToHex),
    size: leaves.length,
    index: parts.index,
    raw_tx: encodeHex(serializeStripped(transaction)),
    output: transaction.outputs.findIndex(({ scriptPubKey }) => readOpReturn(scriptPubKey) !== undefined),
    header: encodeHex(serializeHeader(block.header)),
    height,
    tx_index: txIndex,
    branch: merkleBranch(txids, txIndex).map(displayHash),
    coinbase_tx: encodeHex(serializeStripped(coinbase)),
    coinbase_branch: merkleBranch(txids, 0).map(displayHash),
  };
}

/** One submission's receipt. Throws RangeError for an index outside the batch. */
export function assembleReceipt(parts: ReceiptParts): Receipt {
  const { batch, proofHash } = parts;
  const record = recordV1(parts.record);
  const preimage = leafPreimage(proofHash, record);
  const header = batchHeader(batch.header);
  return {
    version: 1,
    info: parts.info,
    statement: statementOf(parts.record),
    leaf: {
      proof_hash: bytesToHex(proofHash),
      record: bytesToHex(record),
      preimage: bytesToHex(preimage),
      hash: bytesToHex(leafHash(preimage)),
    },
    batch: {
      number: Number(batch.header.number),
      root: bytesToHex(batch.header.root),
      size: batch.header.size,
      index: batch.index,
      path: merklePath(batch.leaves, batch.index).map(bytesToHex),
      header: bytesToHex(header),
      commitment: bytesToHex(batchCommitment(header)),
    },
    settlement: parts.settlement,
    anchor: parts.anchor,
  };
}

function consensusPart(o: SettlementParts["consensus"]): ReceiptSettlement["consensus"] {
  const validators = validatorsFromJson(o.validators.map((validator) => ({ proposer_priority: "0", ...validator })));
  const commit = commitFromJson(o.commit);
  const trimmed = { ...commit, signatures: enoughSignatures(commit.signatures, validators) };
  return {
    header: o.header,
    commit: asJson(commitToJson(trimmed)),
    validators: validatorsToJson(validators).map(({ proposer_priority: _, ...validator }) => asJson(validator)),
  };
}

// Keeps votes for the block until they exceed two thirds; every other entry becomes absent.
function enoughSignatures(signatures: readonly CommitSig[], validators: readonly Validator[]): CommitSig[] {
  const none = new Uint8Array();
  const absent: CommitSig = { blockIdFlag: 1, validatorAddress: none, timestamp: ZERO_TIME, signature: none };
  const total = validators.reduce((sum, { power }) => sum + power, 0n);
  let power = 0n;
  return signatures.map((entry, index) => {
    if (entry.blockIdFlag !== 2 || power * 3n > total * 2n) return absent;
    power += validators[index]?.power ?? 0n;
    return entry;
  });
}

function asJson(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}

function itemAt<T>(items: readonly T[], index: number): T {
  const item = items[index];
  if (item === undefined) throw new RangeError("no item of that index");
  return item;
}
