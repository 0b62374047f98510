/** Links of a receipt from the batch commitment to the block that settled it. */
import {
  bytesToHex,
  decodeHeader,
  decodeReceipt,
  decodeTransaction,
  equalBytes,
  hexToBytes,
  verifyListProof,
} from "@cairn/primitives";
import { parseBatchHeader } from "../batch-header.ts";
import { type BatchSettled, PROOF_HUB_ADDRESS, readBatchSettled, readSettleNumber } from "../proof-hub.ts";
import type { Receipt } from "../types.ts";
import { broken, holds, type Link } from "./link.ts";

/** The batch commitment stands in a `BatchSettled` log of `ProofHub` in the transaction receipt. */
export const settlementLogLink: Link = {
  name: "settlement-log",
  check(receipt) {
    if (receipt.settlement.hub !== PROOF_HUB_ADDRESS) return broken("the hub is not the ProofHub contract");
    const executed = decodeReceipt(hexToBytes(receipt.settlement.receipt_rlp));
    if (executed.status !== 1) return broken("the settlement was reverted");
    const events = executed.logs
      .map((log) => readBatchSettled(log, PROOF_HUB_ADDRESS))
      .filter((event) => event !== undefined);
    const event = events.find(({ commitment }) => bytesToHex(commitment) === receipt.batch.commitment);
    if (event === undefined) return broken("no BatchSettled log of ProofHub names this commitment");
    if (!saysTheSame(event, receipt)) return broken("the BatchSettled log contradicts the batch header");
    return holds("ProofHub logged this commitment for this submitter, number, root and size", "receipt bytes");
  },
};

/** The transaction receipt is in the block's `receiptsRoot`. */
export const receiptTrieLink: Link = {
  name: "receipt-trie",
  check({ settlement }) {
    const { receiptsRoot } = decodeHeader(hexToBytes(settlement.header_rlp));
    const value = verifyListProof(hexToBytes(receiptsRoot), settlement.index, settlement.receipt_proof.map(hexToBytes));
    if (value === undefined || !equalBytes(value, hexToBytes(settlement.receipt_rlp))) {
      return broken("the trie proof does not show this receipt in receiptsRoot");
    }
    return holds(`receipt ${settlement.index} is in the block's receiptsRoot`, "Keccak-256, Merkle-Patricia trie");
  },
};

/** The transaction is in the block's `transactionsRoot` and calls `ProofHub.settle` for this batch. */
export const transactionTrieLink: Link = {
  name: "transaction-trie",
  check({ settlement, batch }) {
    const raw = hexToBytes(settlement.transaction_rlp);
    const { transactionsRoot } = decodeHeader(hexToBytes(settlement.header_rlp));
    const proof = settlement.transaction_proof.map(hexToBytes);
    const value = verifyListProof(hexToBytes(transactionsRoot), settlement.index, proof);
    if (value === undefined || !equalBytes(value, raw)) {
      return broken("the trie proof does not show this transaction in transactionsRoot");
    }
    const transaction = decodeTransaction(raw);
    if (transaction.to !== settlement.hub) return broken("the transaction does not call ProofHub");
    if (transaction.chainId !== BigInt(settlement.chain_id)) return broken("the transaction is for another chain");
    if (readSettleNumber(transaction.data) !== BigInt(batch.number)) {
      return broken("the transaction does not settle this batch number");
    }
    return holds(`transaction ${settlement.index} settles batch ${batch.number}`, "Keccak-256, Merkle-Patricia trie");
  },
};

function saysTheSame(event: BatchSettled, { batch }: Receipt): boolean {
  const header = parseBatchHeader(hexToBytes(batch.header));
  return (
    equalBytes(event.submitter, header.submitter) &&
    event.number === header.number &&
    equalBytes(event.root, header.root) &&
    event.size === header.size
  );
}
