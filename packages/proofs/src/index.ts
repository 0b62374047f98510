/** Proof, batch, anchor and receipt types, hashing rules and offline verification. Browser-safe. */
export {
  anchorCommitment,
  anchorHeader,
  anchorHeaderPrefix,
  anchorLeaf,
  parseAnchorHeader,
} from "./anchor-header.ts";
export { anchorPart, assembleReceipt, settlementPart } from "./assemble-receipt.ts";
export {
  BATCH_HEADER_BYTES,
  batchCommitment,
  batchHeader,
  batchHeaderPrefix,
  parseBatchHeader,
} from "./batch-header.ts";
export { canonicalJson } from "./canonical-json.ts";
export { excludedLeaf, leafHash, leafPreimage } from "./leaf.ts";
export {
  foldPath,
  MAX_TREE_SIZE,
  merklePath,
  merkleRoot,
  nodeHash,
  type PathStep,
  pathSteps,
  verifyPath,
} from "./merkle-tree.ts";
export { opReturnData, parseOpReturnData } from "./op-return.ts";
export { buildOts, calendarAnswer } from "./open-timestamps.ts";
export {
  type BatchSettled,
  batchSettledTopic,
  PROOF_HUB_ADDRESS,
  readBatchSettled,
  readSettleNumber,
} from "./proof-hub.ts";
export { receiptSchema } from "./receipt-schema.ts";
export { parseRecordV1, recordV1 } from "./record.ts";
export { publicBytesHash, publicInputsHash, statementHash, vkHash } from "./statement.ts";
export { submissionId } from "./submission-id.ts";
export { validatorSetHash } from "./trusted-validators.ts";
export type * from "./types.ts";
export type * from "./verification.ts";
export { decodeVerifyProofsInput, encodeVerifyProofsInput, SYSTEM_TAGS } from "./verify-proofs-input.ts";
export { isReceipt, MAX_RECEIPT_CHARS, verifyReceipt } from "./verify-receipt.ts";
export { WireError } from "./wire.ts";
