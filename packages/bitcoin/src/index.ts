/**
 * Bitcoin transactions, blocks, headers, Merkle branches, SPV checks and the OpenTimestamps codec. Browser-safe. Knows
 * no network and no key.
 */
export { type BitcoinBlock, parseBlock, serializeBlock } from "./block.ts";
export {
  type BitcoinHeader,
  checkProofOfWork,
  hashToNumber,
  headerHash,
  parseHeader,
  serializeHeader,
  targetFromBits,
  workFromBits,
} from "./block-header.ts";
export { ByteReader } from "./byte-reader.ts";
export { compactSize, concatBytes, sized, u32le, u64le } from "./byte-writer.ts";
export { coinbaseHeight, coinbaseHeightPush, subsidySat } from "./coinbase.ts";
export { type BitcoinFormatCode, BitcoinFormatError } from "./format-error.ts";
export { displayHash, parseDisplayHash, sha256d } from "./hash.ts";
export { decodeHex, encodeHex, equalBytes } from "./hex.ts";
export { checkInclusion, type InclusionFault, type InclusionProof } from "./inclusion.ts";
export { foldBranch, hasDuplicatePair, MAX_BRANCH_DEPTH, merkleBranch, merkleRoot } from "./merkle.ts";
export { NETWORKS, type NetworkParameters } from "./network.ts";
export {
  type Attestation,
  BITCOIN_ATTESTATION_TAG,
  isCalendarUri,
  MAX_ATTESTATION_BYTES,
  PENDING_ATTESTATION_TAG,
  readAttestation,
  serializeAttestation,
} from "./ots/attestation.ts";
export { type DetachedTimestamp, MAX_OTS_BYTES, OTS_MAGIC, parseDetached, serializeDetached } from "./ots/detached.ts";
export { applyOp, MAX_MESSAGE_BYTES, type Op, opFromTag, opTag } from "./ots/op.ts";
export {
  type Attested,
  attested,
  buildPath,
  countOps,
  evaluateTimestamp,
  MAX_DEPTH,
  mergeTimestamps,
  readTimestamp,
  serializeTimestamp,
  type Timestamp,
} from "./ots/timestamp.ts";
export { encodeVaruint, readVarbytes, readVaruint } from "./ots/varuint.ts";
export { opReturnData, opReturnScript, p2wpkhKeyHash, p2wpkhScript } from "./script.ts";
export {
  type BitcoinTransaction,
  hasWitness,
  isCoinbase,
  MAX_TRANSACTION_BYTES,
  parseStripped,
  parseTransaction,
  readTransaction,
  serializeStripped,
  serializeTransaction,
  type TxInput,
  type TxOutput,
  transactionId,
  transactionVsize,
  transactionWeight,
  txid,
  witnessId,
} from "./transaction.ts";
