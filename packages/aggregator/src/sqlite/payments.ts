/**
 * Payments of submissions: reserved, released, captured or overdue with the change of the submission that they belong
 * to, in its transaction.
 */
import { bytesToHex, hexToBytes } from "@cairn/primitives";
import type { PayerCharge, Payment, PaymentTerms } from "../payment/ledger-store.ts";
import { PAYMENT_STATES, type PaymentEvent, paymentStep } from "../payment/payment-life.ts";
import { blob, hex, integer, oneOf, optional, text } from "./columns.ts";
import type { Database, Row } from "./database.ts";
import { type Book, wei } from "./ledger-book.ts";

/** The chain charged something else than this store reserved: a fault to be looked at. */
export class ChargeMismatchError extends Error {
  override readonly name = "ChargeMismatchError";
}

/** Reserves the price of a submission that was just accepted, or accepted again. */
export function reservePayment(database: Database, book: Book, seq: number, terms: PaymentTerms): void {
  const known = findPayment(database, seq);
  if (known !== undefined && paymentStep(known.state, "reserved") === undefined) return;
  const payer = hexToBytes(terms.payer);
  database.run(
    "INSERT OR REPLACE INTO payments (submission, payer, mode, plan, price, quoted_for, state) VALUES (?, ?, ?, ?, ?, ?, ?)",
    ...[seq, payer, terms.mode, terms.plan, terms.priceWei.toString(), terms.quotedFor ?? null, "reserved"],
  );
  book.post("reserve", { payer, amount: terms.priceWei, submission: seq });
}

/** Reserves a released price again, whatever is available: a duplicate takes the place of its excluded original. */
export function reserveAgain(database: Database, book: Book, seq: number): void {
  const payment = findPayment(database, seq);
  if (payment !== undefined) reservePayment(database, book, seq, payment);
}

/** Gives a reserved price back. */
export function releasePayment(database: Database, book: Book, seq: number): void {
  const payment = findPayment(database, seq);
  if (payment === undefined || !move(database, seq, payment, "released")) return;
  book.post("release", { payer: hexToBytes(payment.payer), amount: payment.priceWei, submission: seq });
}

/** Lowers a reserved price to what verification found it to be; never raises it. */
export function lowerPrice(database: Database, book: Book, seq: number, priceWei: bigint): void {
  const payment = findPayment(database, seq);
  if (payment?.state !== "reserved" || priceWei >= payment.priceWei) return;
  database.run("UPDATE payments SET price = ? WHERE submission = ?", priceWei.toString(), seq);
  const amount = payment.priceWei - priceWei;
  book.post("release", { payer: hexToBytes(payment.payer), amount, submission: seq });
}

/**
 * Ends the reserved payments of a settled batch as the vault's charges say; mock ones are captured, or made overdue by
 * `mockShort`. Throws `ChargeMismatchError` when the vault charged another amount than is reserved.
 */
export function settlePayments(
  database: Database,
  book: Book,
  batch: number,
  o: { readonly charges: readonly PayerCharge[]; readonly mockShort: boolean },
): void {
  const rows = database.all(
    `SELECT p.submission, p.payer, p.mode, p.price FROM payments p JOIN submissions s ON s.seq = p.submission
     WHERE s.batch_number = ? AND p.state = 'reserved'`,
    batch,
  );
  const charges = new Map(o.charges.map((charge) => [charge.payer, charge]));
  requireSameTotals(batch, rows, charges);
  for (const row of rows) {
    const payer = blob(row, "payer");
    const isMock = text(row, "mode") === "mock";
    const isPaid = isMock ? !o.mockShort : charges.get(bytesToHex(payer))?.charged !== undefined;
    const isFree = wei(row, "price") === 0n;
    const submission = integer(row, "submission");
    const state = isPaid || isFree ? "captured" : "overdue";
    database.run("UPDATE payments SET state = ? WHERE submission = ?", state, submission);
    book.post(state === "captured" ? "capture" : "shortfall", { payer, amount: wei(row, "price"), submission, batch });
  }
  for (const { payer, charged } of o.charges) {
    if (charged !== undefined) book.mirror(hexToBytes(payer), { spent: charged.spentWei, spentDay: charged.day });
  }
}

function requireSameTotals(batch: number, rows: readonly Row[], charges: ReadonlyMap<string, PayerCharge>): void {
  const totals = new Map<string, bigint>();
  for (const row of rows.filter((one) => text(one, "mode") === "vault")) {
    const payer = hex(row, "payer");
    totals.set(payer, (totals.get(payer) ?? 0n) + wei(row, "price"));
  }
  for (const payer of new Set([...totals.keys(), ...charges.keys()])) {
    const [expected, given] = [totals.get(payer) ?? 0n, charges.get(payer)?.amountWei ?? 0n];
    if (expected === given) continue;
    throw new ChargeMismatchError(`batch ${batch}: the vault charged ${payer} ${given} wei, reserved are ${expected}`);
  }
}

/** Covers overdue payments; once nothing is owed all of the payer's are captured. */
export function coverOverdue(database: Database, book: Book, entry: Parameters<Book["post"]>[1]): void {
  book.post("cover", entry);
  if (book.books(entry.payer).overdue > 0n) return;
  database.run("UPDATE payments SET state = 'captured' WHERE payer = ? AND state = 'overdue'", entry.payer);
}

/** A submission's payment; undefined when nobody pays. */
export function findPayment(database: Database, seq: number): Payment | undefined {
  const row = database.get("SELECT * FROM payments WHERE submission = ?", seq);
  if (row === undefined) return undefined;
  return {
    payer: hex(row, "payer"),
    mode: oneOf(row, "mode", ["mock", "vault"]),
    plan: text(row, "plan"),
    priceWei: wei(row, "price"),
    quotedFor: optional(row, "quoted_for", text),
    state: oneOf(row, "state", PAYMENT_STATES),
  };
}

function move(database: Database, seq: number, payment: Payment, event: PaymentEvent): boolean {
  const next = paymentStep(payment.state, event);
  if (next === undefined) return false;
  database.run("UPDATE payments SET state = ? WHERE submission = ?", next, seq);
  return true;
}
