/**
 * The journal and the payers' sums, changed together: entries are appended, and each payer touched is written once when
 * the work is done. The caller owns the transaction.
 */
import { bytesToHex } from "@cairn/primitives";
import { EMPTY_BOOKS, type LedgerKind, moved, type PayerBooks } from "../payment/ledger.ts";
import { integer, text } from "./columns.ts";
import type { Database, Row } from "./database.ts";

/** An entry to append. Amounts in wei; 0 appends nothing. */
export interface NewEntry {
  readonly payer: Uint8Array;
  readonly amount: bigint;
  readonly submission?: number;
  readonly batch?: number;
  readonly transactionHash?: Uint8Array;
  /** Unique name of what the entry follows; it is followed once. */
  readonly source?: string;
}

/** Open books of one transaction. */
export interface Book {
  readonly nowMs: number;
  books(payer: Uint8Array): PayerBooks;
  /** Changes what mirrors the vault; money moves by entries only. */
  mirror(
    payer: Uint8Array,
    change: Partial<Pick<PayerBooks, "requested" | "maxPerProof" | "maxPerDay" | "spent" | "spentDay">>,
  ): void;
  /** Throws RangeError when there is not so much to move. */
  post(kind: LedgerKind, entry: NewEntry): void;
}

/** Opens the books for `work` and writes what it changed. */
export function withBook<T>(database: Database, nowMs: number, work: (book: Book) => T): T {
  const open = new Map<string, { readonly payer: Uint8Array; books: PayerBooks; changed: boolean }>();
  const at = (payer: Uint8Array) => {
    const key = bytesToHex(payer);
    const known = open.get(key) ?? { payer, books: readBooks(database, payer), changed: false };
    open.set(key, known);
    return known;
  };
  const result = work({
    nowMs,
    books: (payer) => at(payer).books,
    mirror: (payer, change) => {
      const page = at(payer);
      page.books = { ...page.books, ...change };
      page.changed = true;
    },
    post: (kind, entry) => {
      if (entry.amount === 0n) return;
      const page = at(entry.payer);
      page.books = moved(page.books, kind, entry.amount);
      page.changed = true;
      append(database, kind, entry, nowMs);
    },
  });
  for (const { payer, books, changed } of open.values()) if (changed) writeBooks(database, payer, books);
  return result;
}

/** Reads a payer's books; empty ones where there are none. */
export function readBooks(database: Database, payer: Uint8Array): PayerBooks {
  const row = database.get("SELECT * FROM payers WHERE payer = ?", payer);
  return row === undefined ? EMPTY_BOOKS : booksOf(row);
}

/** A row of `payers`. */
export function booksOf(row: Row): PayerBooks {
  return {
    deposits: wei(row, "deposits"),
    reserved: wei(row, "reserved"),
    captured: wei(row, "captured"),
    overdue: wei(row, "overdue"),
    requested: wei(row, "requested"),
    maxPerProof: wei(row, "max_per_proof"),
    maxPerDay: wei(row, "max_per_day"),
    spent: wei(row, "spent"),
    spentDay: integer(row, "spent_day"),
  };
}

/** An amount in decimal text. */
export function wei(row: Row, name: string): bigint {
  return BigInt(text(row, name));
}

function append(database: Database, kind: LedgerKind, entry: NewEntry, nowMs: number): void {
  database.run(
    `INSERT INTO ledger_entries (at, payer, kind, amount, submission, batch, transaction_hash, source)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[nowMs, entry.payer, kind, entry.amount.toString(), entry.submission ?? null, entry.batch ?? null],
    ...[entry.transactionHash ?? null, entry.source ?? null],
  );
}

function writeBooks(database: Database, payer: Uint8Array, b: PayerBooks): void {
  const sums = [b.deposits, b.reserved, b.captured, b.overdue, b.requested, b.maxPerProof, b.maxPerDay, b.spent];
  database.run(
    `INSERT OR REPLACE INTO payers (payer, deposits, reserved, captured, overdue, requested, max_per_proof, max_per_day,
       spent, spent_day) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[payer, ...sums.map(String), b.spentDay],
  );
}
