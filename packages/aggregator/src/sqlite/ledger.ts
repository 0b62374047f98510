/** `LedgerStore` on SQLite: reading books and journal, following the vault, mock deposits. */
import { hexToBytes } from "@cairn/primitives";
import { least } from "../payment/amount.ts";
import { LEDGER_KINDS, type LedgerKind, ledgerMove } from "../payment/ledger.ts";
import type { LedgerEntry, LedgerStore, PlacedVaultEvent, VaultLog } from "../payment/ledger-store.ts";
import { hex, integer, oneOf, optional, text } from "./columns.ts";
import type { Database, Row } from "./database.ts";
import { auditLedger } from "./ledger-audit.ts";
import { type Book, readBooks, wei, withBook } from "./ledger-book.ts";
import { coverOverdue, findPayment } from "./payments.ts";

/** The ledger part of the store. */
export function ledgerStore(database: Database): LedgerStore {
  return {
    books: async (payer) => readBooks(database, hexToBytes(payer)),
    ledgerEntries: async (o) =>
      database
        .all(
          `SELECT e.*, s.id FROM ledger_entries e LEFT JOIN submissions s ON s.seq = e.submission
           WHERE e.payer = ? AND e.seq < ? ORDER BY e.seq DESC LIMIT ?`,
          ...[hexToBytes(o.payer), o.before ?? Number.MAX_SAFE_INTEGER, o.limit],
        )
        .map(readEntry),
    payment: async (submission) => findPayment(database, submission),
    followVault: async (o, nowMs) => database.transaction(() => follow(database, o, nowMs)),
    mockDeposit: async (o, nowMs) => database.transaction(() => mockDeposit(database, o, nowMs)),
    auditLedger: async () => auditLedger(database),
  };
}

const CURSOR = "vault-cursor";

function follow(
  database: Database,
  o: { readonly to: number; readonly logs: readonly PlacedVaultEvent[] },
  nowMs: number,
): number {
  const row = database.get("SELECT value FROM settings WHERE key = ?", CURSOR);
  const cursor = row === undefined ? -1 : Number(text(row, "value"));
  const logs = o.logs.filter((log) => log.block > cursor && log.block <= o.to);
  const known = earlierBatches(database);
  const reached = withBook(database, nowMs, (book) => {
    for (const log of logs) {
      if (mustWait(database, book, log.event)) return log.block - 1;
      apply(database, book, log, known);
    }
    return o.to;
  });
  // What was applied of the block that must wait is applied again by nobody: its logs carry their place as source.
  if (reached > cursor) {
    database.run(
      "INSERT INTO settings (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
      ...[CURSOR, String(reached)],
    );
  }
  return Math.max(reached, cursor);
}

/** Whether a batch was settled by an earlier store, or after the backup that this one comes from. */
function earlierBatches(database: Database): (number: number) => boolean {
  const row = database.get("SELECT value FROM settings WHERE key = 'batch-base'");
  const base = row === undefined ? 0 : Number(text(row, "value"));
  return (number) => number <= base && database.get("SELECT 1 FROM batches WHERE number = ?", number) === undefined;
}

/** A payment of what is not known to be overdue yet: the settlement before it is still to be applied. */
function mustWait(database: Database, book: Book, event: VaultLog): boolean {
  if (event.name !== "covered" || !event.isOwn) return false;
  if (event.amountWei <= book.books(hexToBytes(event.payer)).overdue) return false;
  return database.get("SELECT 1 FROM batches WHERE state = 'batched' LIMIT 1") !== undefined;
}

function apply(database: Database, book: Book, log: PlacedVaultEvent, earlier: (number: number) => boolean): void {
  const { event } = log;
  const payer = hexToBytes(event.payer);
  const source = `log:${log.block}:${log.logIndex}`;
  if (database.get("SELECT 1 FROM ledger_entries WHERE source = ?", source) !== undefined) return;
  const transactionHash = hexToBytes(log.transactionHash);
  const entry = "amountWei" in event ? { payer, amount: event.amountWei, transactionHash, source } : undefined;
  if (event.name === "allowed") {
    book.mirror(payer, { maxPerProof: event.maxPerProofWei, maxPerDay: event.maxPerDayWei });
  } else if (event.name === "requested") {
    book.mirror(payer, { requested: event.amountWei });
  } else if (event.name === "covered" && event.isOwn && entry !== undefined) {
    coverOverdue(database, book, entry);
  } else {
    const kind = kindOf(event, earlier);
    if (kind !== undefined && entry !== undefined) book.post(kind, entry);
    if (event.name === "withdrawn") book.mirror(payer, { requested: 0n });
    if (kind === "earlier-charge" && event.name === "charged") {
      book.mirror(payer, { spent: event.spentWei, spentDay: event.day });
    }
  }
}

/** What a log moves; undefined: nothing by itself (settling its batch does). */
function kindOf(event: VaultLog, earlier: (number: number) => boolean): LedgerKind | undefined {
  switch (event.name) {
    case "deposited":
      return "deposit";
    case "withdrawn":
      return "withdrawal";
    case "charged":
      if (!event.isOwn) return "elsewhere";
      return earlier(event.number) ? "earlier-charge" : undefined;
    case "shortfall":
      return earlier(event.number) ? "earlier-shortfall" : undefined;
    case "covered":
      return "elsewhere";
    default:
      return undefined;
  }
}

function mockDeposit(database: Database, o: Parameters<LedgerStore["mockDeposit"]>[0], nowMs: number): void {
  const source = o.source === undefined ? {} : { source: o.source };
  const known =
    o.source === undefined ? undefined : database.get("SELECT 1 FROM ledger_entries WHERE source = ?", o.source);
  if (known !== undefined) return;
  const payer = hexToBytes(o.payer);
  withBook(database, nowMs, (book) => {
    const { overdue } = book.books(payer);
    const covered = least(overdue, o.amountWei);
    book.post("deposit", { payer, amount: o.amountWei, ...source });
    if (covered === 0n) return;
    coverOverdue(database, book, { payer, amount: covered });
  });
}

function readEntry(row: Row): LedgerEntry {
  const kind = oneOf(row, "kind", LEDGER_KINDS);
  return {
    seq: integer(row, "seq"),
    atMs: integer(row, "at"),
    kind,
    ...ledgerMove(kind),
    amountWei: wei(row, "amount"),
    submission: optional(row, "id", hex),
    batch: optional(row, "batch", integer),
    transactionHash: optional(row, "transaction_hash", hex),
  };
}
