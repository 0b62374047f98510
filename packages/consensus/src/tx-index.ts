/**
 * Where a transaction is, by its hash. A row holds 48 bits of the hash, so a lookup gives candidates to compare. Rows
 * are kept in epochs of bounded size: a block's random hashes then touch the pages of one epoch, not of the whole
 * index, and a lookup probes each epoch once.
 */
import type { Database, Sql } from "./database.ts";

const EPOCH_ROWS = 32_768;

/** Tables of the index. */
export const TX_INDEX_SCHEMA = `
  CREATE TABLE IF NOT EXISTS tx_epochs (epoch INTEGER PRIMARY KEY, amount INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS tx_index (
    epoch INTEGER NOT NULL, prefix INTEGER NOT NULL, height INTEGER NOT NULL, position INTEGER NOT NULL,
    PRIMARY KEY (epoch, prefix, height, position)) WITHOUT ROWID, STRICT;
`;

const LAST_EPOCH = "SELECT epoch, amount FROM tx_epochs ORDER BY epoch DESC LIMIT 1";
const PUT_EPOCH = "INSERT OR REPLACE INTO tx_epochs VALUES (?, ?)";
const PUT = "INSERT INTO tx_index VALUES (?, ?, ?, ?)";
const LOCATE = `
  SELECT t.height, t.position FROM tx_epochs e CROSS JOIN tx_index t ON t.epoch = e.epoch AND t.prefix = ?
  ORDER BY t.height DESC, t.position DESC`;

/** Where a transaction may be; to be compared with the block's transaction. */
export interface TxCandidate {
  readonly height: bigint;
  readonly index: number;
}

/** First 48 bits of a hash: exact as a number. */
function prefixOf(hash: Uint8Array): number {
  return Buffer.from(hash.buffer, hash.byteOffset, hash.length).readUIntBE(0, 6);
}

/** Adds a block's transactions, inside a transaction of the database. */
export function indexTxs(sql: Sql, height: bigint, txHashes: readonly Uint8Array[]): void {
  if (txHashes.length === 0) return;
  const last = sql(LAST_EPOCH).get();
  const isFull = last === undefined || Number(last.amount) >= EPOCH_ROWS;
  const epoch = Number(last?.epoch ?? 0) + (isFull ? 1 : 0);
  const put = sql(PUT);
  const at = Number(height);
  for (const [index, hash] of txHashes.entries()) put.run(epoch, prefixOf(hash), at, index);
  sql(PUT_EPOCH).run(epoch, (isFull ? 0 : Number(last.amount)) + txHashes.length);
}

/** Candidates for a hash, newest first. */
export function locateTx(db: Database, hash: Uint8Array): readonly TxCandidate[] {
  return db.rows(LOCATE, prefixOf(hash)).map((row) => ({
    height: BigInt(Number(row.height)),
    index: Number(row.position),
  }));
}
