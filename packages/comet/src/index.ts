/**
 * CometBFT v0.38 consensus types: canonical encodings, hashes, sign bytes, commit verification and the JSON spelling.
 * Browser-safe. Owns no storage and no network, and makes no decision about what to sign.
 */

export { dataHash, dataHashOf, dataSize, decodeBlock, encodeBlock, txHash } from "./block.ts";
export { blockIdEqual, decodeBlockId, encodeBlockId, NO_BLOCK_ID } from "./block-id.ts";
export { type BlockJson, blockFromJson, blockToJson, evidenceFromJson, evidenceToJson } from "./block-json.ts";
export { base64ToBytes, bytesToBase64, bytesToUpperHex, upperHexToBytes } from "./bytes.ts";
export { commitHash, decodeCommit, encodeCommit } from "./commit.ts";
export { type CommitJson, type CommitSigJson, commitFromJson, commitToJson } from "./commit-json.ts";
export { CometError, type CometErrorCode } from "./error.ts";
export { decodeEvidence, encodeEvidence, evidenceHash } from "./evidence.ts";
export { decodeHeader, encodeHeader, headerHash } from "./header.ts";
export {
  type BlockIdJson,
  blockIdFromJson,
  blockIdToJson,
  type HeaderJson,
  headerFromJson,
  headerToJson,
} from "./header-json.ts";
export {
  type MerkleProof,
  merkleLeafHash,
  merkleProof,
  merkleProofRoot,
  merkleRoot,
  merkleRootOfHashes,
} from "./merkle.ts";
export { makePartSet, PART_SIZE, type PartSet } from "./part-set.ts";
export { consensusParamsHash, lastResultsHash } from "./results-hash.ts";
export { type Sha256, sha256 } from "./sha256.ts";
export { decodeVoteSignBytes, type VoteContent, voteSignBytes } from "./sign-bytes.ts";
export {
  addNanos,
  compareTimestamps,
  parseRfc3339,
  timestampFromMs,
  timestampToRfc3339,
  ZERO_TIME,
} from "./timestamp.ts";
export type {
  Block,
  BlockId,
  BlockIdFlag,
  Commit,
  CommitSig,
  DuplicateVoteEvidence,
  Evidence,
  Header,
  LightClientAttackEvidence,
  PartSetHeader,
  PublicKey,
  Timestamp,
  TxResultDigest,
  Validator,
  Vote,
  VoteType,
} from "./types.ts";
export { consensusAddress, createValidator, orderValidators, publicKeyAddress, validatorsHash } from "./validator.ts";
export {
  type PublicKeyJson,
  publicKeyFromJson,
  publicKeyToJson,
  type ValidatorJson,
  validatorsFromJson,
  validatorsToJson,
} from "./validators-json.ts";
export {
  type CommitCheck,
  type CommitFailure,
  type CommitVerdict,
  type VerifySignature,
  verifyCommit,
  verifyEd25519,
} from "./verify-commit.ts";
