/**
 * Payment as the REST side sees it: who pays for an account, on what terms a submission is taken, and where the money
 * is. Owns no money: the ledger of the store does.
 */
import {
  availableWei,
  type PaymentMode,
  type PaymentParts,
  type PaymentTerms,
  type PricePlan,
  type PricePlans,
  type Store,
} from "@cairn/aggregator";
import { type Address, ZERO_ADDRESS } from "@cairn/primitives";
import type { Account } from "../accounts/account.ts";
import type { Accounts } from "../accounts/accounts.ts";
import type { MockMoney } from "./mock-money.ts";
import type { Quotes } from "./quotes.ts";
import { declaredSystem, priceTerms, type QuoteFault } from "./terms.ts";
import type { WalletChallenges } from "./wallet-challenge.ts";

/** Why a submission cannot be taken: no wallet, or its quote does not fit. */
export type TermsFault = "wallet-required" | `quote-${QuoteFault}`;

/** Where the money is. */
export interface PaymentPlace {
  readonly mode: PaymentMode | "none";
  /** Takes deposits. */
  readonly vault: Address | undefined;
  /** To be allowed to charge. */
  readonly settler: Address | undefined;
}

/** Payment of one service. */
export interface Payments {
  readonly place: PaymentPlace;
  readonly quotes: Quotes;
  readonly challenges: WalletChallenges;
  /** Undefined unless the money is mock. */
  readonly mock: MockMoney | undefined;
  /** What the aggregator is given; undefined: nobody pays. */
  readonly parts: PaymentParts | undefined;
  /** Must have run once before terms of an account are used: first money of a sandbox account. */
  prepare(account: string): Promise<void>;
  /** Who pays for an account; undefined: nobody yet. */
  payerOf(account: Account): Address | undefined;
  planOf(account: Account): { readonly name: string; readonly prices: PricePlan };
  /** Terms of a submission; undefined: nobody pays. */
  terms(
    account: string,
    o: { readonly proofData: string; readonly quote: string | undefined },
  ): PaymentTerms | TermsFault | undefined;
  /** The highest price that is accepted now. */
  available(books: Awaited<ReturnType<Store["books"]>>): bigint;
}

/** What payment is made of. */
export interface PaymentsOptions {
  readonly place: PaymentPlace;
  readonly plans: PricePlans;
  /** Where an account has no agreement, or one whose plan is not configured. */
  readonly standard: PricePlan;
  readonly accounts: Accounts;
  readonly quotes: Quotes;
  readonly challenges: WalletChallenges;
  readonly mock: MockMoney | undefined;
  readonly parts: PaymentParts | undefined;
  readonly clock: () => number;
}

/** Makes it. */
export function createPayments(o: PaymentsOptions): Payments {
  const { place, mock } = o;
  const payerOf = (account: Account): Address | undefined => mock?.payerOf(account.name) ?? account.wallet;
  const planOf = (account: Account) => {
    const name = account.agreement?.plan ?? STANDARD;
    const prices = Object.hasOwn(o.plans, name) ? o.plans[name] : undefined;
    return prices === undefined ? { name: STANDARD, prices: o.standard } : { name, prices };
  };
  return {
    ...{ place, mock, payerOf, planOf },
    quotes: o.quotes,
    challenges: o.challenges,
    parts: o.parts,
    prepare: async (account) => mock?.ensure(account),
    terms: (name, { proofData, quote }) => {
      const { mode } = place;
      const account = o.accounts.find(name);
      if (mode === "none" || account === undefined) return undefined;
      const payer = payerOf(account);
      if (payer === undefined) return "wallet-required";
      const reading = quote === undefined ? undefined : o.quotes.read(name, quote, o.clock());
      const terms = priceTerms({ plan: planOf(account), declared: declaredSystem(proofData), quote: reading });
      return typeof terms === "string" ? `quote-${terms}` : { payer, mode, ...terms };
    },
    available: (books) => {
      if (mock?.faults().refuse_payment === true || books.overdue > 0n || place.mode === "none") return 0n;
      return availableWei(books, place.mode, o.clock());
    },
  };
}

/** Name of the plan without another agreement. */
export const STANDARD = "standard";

/** Payer of accounts that have none. */
export const NOBODY_PAYS: Address = ZERO_ADDRESS;
