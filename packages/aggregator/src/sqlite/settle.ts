/** Applying a committed settlement: the batch, its submissions, its excluded slots. The caller owns the transaction. */
import { hexToBytes } from "@cairn/primitives";
import { excludedLeaf, type ReceiptSettlement } from "@cairn/proofs";
import type { BatchSettlement, SettledPayments } from "../batch-store.ts";
import { blob, integer, optional, text } from "./columns.ts";
import type { Database } from "./database.ts";
import type { Book } from "./ledger-book.ts";
import { moveBatch, moveOne } from "./moves.ts";
import { releasePayment, reserveAgain, settlePayments } from "./payments.ts";

/** Leaves of a batch in order; slots that the validators excluded have the constant leaf. */
export function readLeaves(database: Database, number: number): readonly Uint8Array[] {
  const row = database.get("SELECT excluded FROM batches WHERE number = ?", number);
  const json = row === undefined ? undefined : optional(row, "excluded", text);
  const excluded = new Set<number>(json === undefined ? [] : JSON.parse(json));
  return database
    .all(
      `SELECT s.batch_index, p.leaf FROM submissions s JOIN proofs p ON p.submission = s.seq
       WHERE s.batch_number = ? AND s.duplicate_of IS NULL ORDER BY s.batch_index`,
      number,
    )
    .map((entry) => (excluded.has(integer(entry, "batch_index")) ? excludedLeaf() : blob(entry, "leaf")));
}

/** Settles a batch once; `applied` is false when it was settled before. */
export function settleBatch(
  database: Database,
  number: number,
  s: BatchSettlement,
  part: ReceiptSettlement,
  o: { readonly book: Book; readonly payments: SettledPayments },
): { readonly applied: boolean } {
  const { nowMs } = o.book;
  const changes = database.run(
    `UPDATE batches SET state = 'settled', root = ?, header = ?, commitment = ?, previous = ?, verified = ?,
       commitments = ?, excluded = ?, transaction_hash = ?, block = ?, settled_at = ?
     WHERE number = ? AND state = 'batched'`,
    ...[hexToBytes(s.root), hexToBytes(s.header), hexToBytes(s.commitment), hexToBytes(s.previous), s.verified],
    ...[s.commitments, JSON.stringify(s.excluded), hexToBytes(s.transactionHash), s.block, nowMs],
    number,
  );
  if (changes === 0) return { applied: false };
  database.run("INSERT INTO receipt_settlements (batch, json) VALUES (?, ?)", number, JSON.stringify(part));
  database.run(
    "UPDATE settlement_attempts SET state = 'included' WHERE batch = ? AND hash = ?",
    number,
    hexToBytes(s.transactionHash),
  );
  for (const index of s.excluded) excludeSlot(database, o.book, number, index);
  settlePayments(database, o.book, number, o.payments);
  moveBatch(database, number, "settled", nowMs);
  return { applied: true };
}

const EXCLUDED_DETAIL = "the validators refused this slot";

function excludeSlot(database: Database, book: Book, number: number, index: number): void {
  const { nowMs } = book;
  const rows = database.all(
    "SELECT seq, duplicate_of FROM submissions WHERE batch_number = ? AND batch_index = ? ORDER BY seq",
    number,
    index,
  );
  const original = rows.find((row) => row.duplicate_of === null);
  if (original === undefined) return;
  moveOne(database, integer(original, "seq"), "excluded", nowMs);
  releasePayment(database, book, integer(original, "seq"));
  database.run(
    "UPDATE submissions SET error_code = 'excluded-in-consensus', error_detail = ? WHERE seq = ?",
    EXCLUDED_DETAIL,
    integer(original, "seq"),
  );
  const [next, ...others] = rows.filter((row) => row !== original).map((row) => integer(row, "seq"));
  if (next === undefined) return;
  requeue(database, next, null, nowMs);
  reserveAgain(database, book, next);
  for (const seq of others) requeue(database, seq, next, nowMs);
}

/** A duplicate whose original was excluded waits for a batch again, by itself or behind the next original. */
function requeue(database: Database, seq: number, original: number | null, nowMs: number): void {
  moveOne(database, seq, "original-excluded", nowMs);
  database.run(
    "UPDATE submissions SET duplicate_of = ?, batch_number = NULL, batch_index = NULL WHERE seq = ?",
    original,
    seq,
  );
}
