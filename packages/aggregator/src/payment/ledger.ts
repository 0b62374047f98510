/**
 * The ledger's rules, pure: which account an entry moves money between, and what a payer may still spend. Each entry
 * takes from one account of a payer and adds the same to another, so that the books always balance:
 *
 *   deposit    vault    -> deposits    a committed Deposited log; the sandbox's faucet
 *   withdrawal deposits -> vault       a committed Withdrawn log
 *   reserve    deposits -> reserved    in the transaction that accepts a submission
 *   release    reserved -> deposits    rejected, excluded, duplicate, or cheaper than reserved
 *   capture    reserved -> captured    in the transaction that settles
 *   shortfall  reserved -> overdue     settled, but the vault skipped the payer
 *   cover      overdue  -> captured    paid later
 *   elsewhere  deposits -> vault       another settler charged the payer
 *   earlier-charge    deposits -> captured   batches of this settler that this store does not know
 *   earlier-shortfall deposits -> overdue    likewise
 *
 * deposits + reserved + overdue is what the payer has in the vault. Deposits fall below zero only when a payer takes out
 * what is reserved; nothing is accepted then.
 */

import { least, most } from "./amount.ts";

/** Where money is. `vault` is the outside. */
export type LedgerAccount = "vault" | "deposits" | "reserved" | "captured" | "overdue";

/** Why money moves. */
export type LedgerKind =
  | "deposit"
  | "withdrawal"
  | "reserve"
  | "release"
  | "capture"
  | "shortfall"
  | "cover"
  | "elsewhere"
  | "earlier-charge"
  | "earlier-shortfall";

const MOVES: Readonly<Record<LedgerKind, readonly [from: LedgerAccount, to: LedgerAccount]>> = {
  deposit: ["vault", "deposits"],
  withdrawal: ["deposits", "vault"],
  reserve: ["deposits", "reserved"],
  release: ["reserved", "deposits"],
  capture: ["reserved", "captured"],
  shortfall: ["reserved", "overdue"],
  cover: ["overdue", "captured"],
  elsewhere: ["deposits", "vault"],
  "earlier-charge": ["deposits", "captured"],
  "earlier-shortfall": ["deposits", "overdue"],
};

/** All kinds. */
export const LEDGER_KINDS = Object.keys(MOVES) as readonly LedgerKind[];

/** The two accounts of an entry. */
export function ledgerMove(kind: LedgerKind): { readonly from: LedgerAccount; readonly to: LedgerAccount } {
  const [from, to] = MOVES[kind];
  return { from, to };
}

/** `vault`: charged on the chain. `mock`: the sandbox's money; nothing leaves this ledger. */
export type PaymentMode = "mock" | "vault";

/** A payer's accounts and what the vault says of it, in wei. */
export interface PayerBooks {
  readonly deposits: bigint;
  readonly reserved: bigint;
  readonly captured: bigint;
  readonly overdue: bigint;
  /** Asked back from the vault and not paid out yet. */
  readonly requested: bigint;
  /** What this service's settler may charge: a slot, a UTC day. */
  readonly maxPerProof: bigint;
  readonly maxPerDay: bigint;
  /** Charged on `spentDay` (days since 1970). */
  readonly spent: bigint;
  readonly spentDay: number;
}

/** A payer that nothing is known of. */
export const EMPTY_BOOKS: PayerBooks = {
  ...{ deposits: 0n, reserved: 0n, captured: 0n, overdue: 0n, requested: 0n },
  ...{ maxPerProof: 0n, maxPerDay: 0n, spent: 0n, spentDay: 0 },
};

const DAY_MS = 86_400_000;

/** Charged on the UTC day of `nowMs`. */
export function spentToday(books: PayerBooks, nowMs: number): bigint {
  return books.spentDay === Math.floor(nowMs / DAY_MS) ? books.spent : 0n;
}

/** The highest price that is accepted now: what is neither reserved nor asked back, within the payer's limits. */
export function availableWei(books: PayerBooks, mode: PaymentMode, nowMs: number): bigint {
  const free = books.deposits - books.requested;
  if (mode === "mock") return most(0n, free);
  const leftOfDay = books.maxPerDay - spentToday(books, nowMs) - books.reserved;
  return most(0n, least(least(free, leftOfDay), books.maxPerProof));
}

/** Why a price is not accepted. */
export interface PaymentRefusal {
  readonly outcome: "insufficient-balance" | "payment-overdue";
  /** The price, or what is overdue. */
  readonly requiredWei: bigint;
  readonly availableWei: bigint;
}

/** Why a price cannot be accepted now; undefined: it can. */
export function paymentRefusal(
  books: PayerBooks,
  terms: { readonly mode: PaymentMode; readonly priceWei: bigint },
  nowMs: number,
): PaymentRefusal | undefined {
  const available = availableWei(books, terms.mode, nowMs);
  if (books.overdue > 0n) return { outcome: "payment-overdue", requiredWei: books.overdue, availableWei: available };
  if (terms.priceWei <= available) return undefined;
  return { outcome: "insufficient-balance", requiredWei: terms.priceWei, availableWei: available };
}

/** The books after an entry. Throws RangeError when an account other than deposits would fall below zero. */
export function moved(books: PayerBooks, kind: LedgerKind, amount: bigint): PayerBooks {
  if (amount < 0n) throw new RangeError("an entry of a negative amount");
  const { from, to } = ledgerMove(kind);
  const after = { ...books };
  if (from !== "vault") after[from] -= amount;
  if (to !== "vault") after[to] += amount;
  if (after.reserved < 0n || after.overdue < 0n) throw new RangeError(`${kind}: more than there is`);
  return after;
}
