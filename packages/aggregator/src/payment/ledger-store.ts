/** The ledger's part of the repository interface: payments of submissions, payers' books, statements. */
import type { Address, Hash } from "@cairn/primitives";
import type { LedgerAccount, LedgerKind, PayerBooks, PaymentMode } from "./ledger.ts";
import type { PaymentState } from "./payment-life.ts";

/** Who pays for a submission, and how much is reserved when it is accepted. */
export interface PaymentTerms {
  readonly payer: Address;
  readonly mode: PaymentMode;
  /** Name of the price plan. */
  readonly plan: string;
  readonly priceWei: bigint;
  /** What a quote fixed the price of (`system/curve`); undefined: the plan's price. */
  readonly quotedFor: string | undefined;
}

/** A submission's payment. */
export interface Payment extends PaymentTerms {
  readonly state: PaymentState;
}

/** One entry of the journal. */
export interface LedgerEntry {
  /** Grows with every entry. */
  readonly seq: number;
  readonly atMs: number;
  readonly kind: LedgerKind;
  readonly from: LedgerAccount;
  readonly to: LedgerAccount;
  readonly amountWei: bigint;
  readonly submission: Hash | undefined;
  readonly batch: number | undefined;
  /** Transaction of the log that it follows. */
  readonly transactionHash: Hash | undefined;
}

/** What the vault did with a payer of a settled batch. */
export interface PayerCharge {
  readonly payer: Address;
  readonly amountWei: bigint;
  /** Undefined: the payer was skipped. */
  readonly charged: { readonly day: number; readonly spentWei: bigint } | undefined;
}

/** A log of the vault in a committed block. */
export interface PlacedVaultEvent {
  readonly block: number;
  readonly logIndex: number;
  readonly transactionHash: Hash;
  readonly event: VaultLog;
}

/** What a log of the vault says, as far as the ledger follows it. Only `allowed` of other settlers is left out. */
export type VaultLog =
  | { readonly name: "deposited" | "withdrawn"; readonly payer: Address; readonly amountWei: bigint }
  | { readonly name: "requested"; readonly payer: Address; readonly amountWei: bigint }
  | {
      readonly name: "allowed";
      readonly payer: Address;
      readonly maxPerProofWei: bigint;
      readonly maxPerDayWei: bigint;
    }
  | {
      readonly name: "charged";
      readonly payer: Address;
      readonly isOwn: boolean;
      readonly number: number;
      readonly amountWei: bigint;
      readonly day: number;
      readonly spentWei: bigint;
    }
  | { readonly name: "shortfall"; readonly payer: Address; readonly number: number; readonly amountWei: bigint }
  | { readonly name: "covered"; readonly payer: Address; readonly isOwn: boolean; readonly amountWei: bigint };

/** Ledger and mirror of the vault. */
export interface LedgerStore {
  /** What is known of a payer; empty books for one that nothing is known of. */
  books(payer: Address): Promise<PayerBooks>;
  /** Newest first. */
  ledgerEntries(o: {
    readonly payer: Address;
    readonly limit: number;
    readonly before?: number;
  }): Promise<readonly LedgerEntry[]>;
  payment(submission: number): Promise<Payment | undefined>;
  /**
   * Follows the vault from the cursor to block `to` in one transaction. Logs at or below the cursor are left alone.
   * Answers the block that it came to: lower than `to` where a log must wait for a settlement that is not applied yet.
   */
  followVault(o: { readonly to: number; readonly logs: readonly PlacedVaultEvent[] }, nowMs: number): Promise<number>;
  /** Adds mock money; overdue payments are covered from it first. Once per `source` where one is given. */
  mockDeposit(
    o: { readonly payer: Address; readonly amountWei: bigint; readonly source?: string },
    nowMs: number,
  ): Promise<void>;
  /** Sums of all payers, and of the journal: equal, or the books are wrong. */
  auditLedger(): Promise<{ readonly books: PayerTotals; readonly journal: PayerTotals }>;
}

/** Sums in wei. */
export type PayerTotals = Readonly<Record<Exclude<LedgerAccount, "vault">, bigint>>;
