export { isAddress, toChecksumAddress, ZERO_ADDRESS } from "./address.ts";
export { bloomContains, type Log, logsBloom } from "./bloom.ts";
export { type HashFunction, keccak256, replaceKeccak256, sha256 } from "./hash.ts";
export { decodeHeader, encodeHeader, type Header, headerHash } from "./header.ts";
export {
  type Address,
  bytesToHex,
  concatBytes,
  equalBytes,
  type Hash,
  type Hex,
  HexError,
  hexToBytes,
  isHex,
} from "./hex.ts";
export { emptyTrieRoot, listTrieProof, listTrieRoot } from "./list-trie.ts";
export { PUBLIC_ACCOUNTS } from "./public-accounts.ts";
export { bigintToBytes, bytesToBigint, parseQuantity, quantityToHex } from "./quantity.ts";
export { decodeReceipt, encodeReceipt, type Receipt, type ReceiptInput } from "./receipt.ts";
export { RlpError, type RlpValue, rlpDecode, rlpEncode } from "./rlp.ts";
export {
  type AccessListEntry,
  type AccessListTransaction,
  type Authorization,
  decodeTransaction,
  encodeTransaction,
  type FeeMarketTransaction,
  type LegacyTransaction,
  type SetCodeTransaction,
  type Transaction,
  transactionHash,
} from "./transaction.ts";
export { type TrieProofOutcome, verifyListProof, verifyTrieProof } from "./trie-proof.ts";
