/** Adding the books up twice: what the payers' rows say, and what the journal says. */
import { LEDGER_KINDS, ledgerMove } from "../payment/ledger.ts";
import type { PayerTotals } from "../payment/ledger-store.ts";
import { oneOf } from "./columns.ts";
import type { Database } from "./database.ts";
import { booksOf, wei } from "./ledger-book.ts";

const NOTHING: PayerTotals = { deposits: 0n, reserved: 0n, captured: 0n, overdue: 0n };

/** Sums over all payers. */
export function auditLedger(database: Database): { readonly books: PayerTotals; readonly journal: PayerTotals } {
  const books = { ...NOTHING };
  for (const row of database.all("SELECT * FROM payers")) {
    const one = booksOf(row);
    for (const account of ["deposits", "reserved", "captured", "overdue"] as const) books[account] += one[account];
  }
  const journal = { ...NOTHING };
  for (const row of database.all("SELECT kind, amount FROM ledger_entries")) {
    const { from, to } = ledgerMove(oneOf(row, "kind", LEDGER_KINDS));
    if (from !== "vault") journal[from] -= wei(row, "amount");
    if (to !== "vault") journal[to] += wei(row, "amount");
  }
  return { books, journal };
}
