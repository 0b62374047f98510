/** Whole blocks as bytes. */
import { type BitcoinHeader, parseHeader, serializeHeader } from "./block-header.ts";
import { ByteReader } from "./byte-reader.ts";
import { compactSize, concatBytes } from "./byte-writer.ts";
import { BitcoinFormatError } from "./format-error.ts";
import {
  type BitcoinTransaction,
  MAX_TRANSACTION_BYTES,
  readTransaction,
  serializeTransaction,
} from "./transaction.ts";

/** A header and its transactions. */
export interface BitcoinBlock {
  readonly header: BitcoinHeader;
  readonly transactions: readonly BitcoinTransaction[];
}

/** Parses one whole block. Throws `BitcoinFormatError`. */
export function parseBlock(bytes: Uint8Array): BitcoinBlock {
  if (bytes.length > MAX_TRANSACTION_BYTES) throw new BitcoinFormatError("too-large", "block above 4,000,000 bytes");
  const reader = new ByteReader(bytes);
  const header = parseHeader(reader.take(80));
  const transactions = Array.from({ length: reader.count(60) }, () => readTransaction(reader));
  reader.end();
  if (transactions.length === 0) throw new BitcoinFormatError("bad-length", "a block has at least one transaction");
  return { header, transactions };
}

/** The block's bytes, with witnesses. */
export function serializeBlock(block: BitcoinBlock): Uint8Array {
  return concatBytes(
    serializeHeader(block.header),
    compactSize(block.transactions.length),
    ...block.transactions.map(serializeTransaction),
  );
}
