/** Schemas of payment: quotes, account, ledger, wallet binding, the sandbox's faucet and faults. Wei as decimal text. */
import { z } from "zod";
import { usageCounts } from "./usage-resource.ts";

const wei = z
  .string()
  .regex(/^(?:0|[1-9][0-9]*)$/)
  .describe("Decimal wei.");
const address = z.string().regex(/^0x[0-9a-f]{40}$/);
const hash = z.string().regex(/^0x[0-9a-f]{64}$/);
const time = z.iso.datetime({ precision: 3 });
const mode = z
  .enum(["vault", "mock", "none"])
  .describe("vault: charged on the chain; mock: test money; none: not paid.");

/** A price that holds until it expires. */
export const quoteSchema = z.object({
  id: z.string().describe("Sent as `quote` with a submission, it fixes the price."),
  system: z.string(),
  curve: z.string().optional(),
  plan: z.string(),
  price: wei,
  parts: z.object({ verification: wei, inclusion: wei, anchor: wei }),
  expires_at: time,
});
/** A price that holds until it expires. */
export type QuoteResource = z.infer<typeof quoteSchema>;

/** An account with its money. */
export const accountSchema = z.object({
  name: z.string(),
  wallet: address.optional().describe("The bound wallet that pays."),
  payment: z.object({
    mode,
    balance: wei.describe("In the vault, what is reserved and asked back included."),
    reserved: wei.describe("For submissions that are accepted and not settled."),
    requested: wei.describe("Asked back from the vault."),
    overdue: wei.describe("Settled without payment; nothing is accepted until it is covered."),
    captured: wei.describe("Paid so far."),
    available: wei.describe("The highest price that is accepted now."),
    limits: z
      .object({ per_proof: wei, per_day: wei, spent_today: wei })
      .optional()
      .describe("What the wallet allows this service's settler."),
    plan: z.string(),
    vault: address.optional(),
    settler: address.optional(),
  }),
  chains: z
    .array(
      z.object({
        chain_id: z.string().describe("As ids and records contain it."),
        aliases: z.array(z.string()).describe("Other names that stand for it."),
        profile: z
          .object({
            system: z.string(),
            curve: z.string().optional(),
            encoding: z.string(),
            version: z.string().optional(),
            vk_hash: hash.optional(),
          })
          .optional()
          .describe("What an artifact without an envelope is taken for."),
      }),
    )
    .describe("Chains registered for the account: production takes no others, a sandbox takes any."),
  quota: z.object({ per_day: z.int().nonnegative().describe("0: not limited."), settlement_days: z.int() }).optional(),
  usage: z
    .object({
      from: z.iso.date(),
      to: z.iso.date().describe("Today, UTC."),
      today: z.object(usageCounts),
      totals: z.object(usageCounts).describe("From the first day to today."),
    })
    .describe("The last 30 days and today; `GET /v1/account/usage` has each day and chain."),
});
/** An account with its money. */
export type AccountResource = z.infer<typeof accountSchema>;

const ledgerAccount = z.enum(["vault", "deposits", "reserved", "captured", "overdue"]);

/** A page of the account's ledger, newest first. */
export const ledgerSchema = z.object({
  items: z.array(
    z.object({
      seq: z.int().positive(),
      at: time,
      kind: z.enum([
        "deposit",
        "withdrawal",
        "reserve",
        "release",
        "capture",
        "shortfall",
        "cover",
        "elsewhere",
        "earlier-charge",
        "earlier-shortfall",
      ]),
      from: ledgerAccount,
      to: ledgerAccount,
      amount: wei,
      submission: hash.optional(),
      batch: z.int().positive().optional(),
      transaction_hash: hash.optional(),
    }),
  ),
  next_cursor: z.string().optional(),
});
/** A page of the account's ledger. */
export type LedgerPage = z.infer<typeof ledgerSchema>;

/** Body of a wallet binding: the address alone asks for the challenge, with nonce and signature it binds. */
export const walletSchema = z.object({
  address: z
    .string()
    .regex(/^0x[0-9a-fA-F]{40}$/, "must be an address of 20 bytes in 0x-hex")
    .describe("The wallet's."),
  nonce: z
    .string()
    .regex(/^0x[0-9a-f]{64}$/, "must be the nonce of a challenge")
    .describe("Of the challenge that was signed.")
    .optional(),
  signature: z
    .string()
    .regex(/^0x[0-9a-fA-F]{130}$/, "must be 65 bytes in 0x-hex: r, s, v")
    .describe("EIP-712 signature of the challenge by the wallet.")
    .optional(),
});

/** What the wallet signs, or the wallet once it is bound. */
export const walletAnswerSchema = z.object({
  wallet: address.optional().describe("The wallet that is bound now."),
  challenge: z
    .object({
      nonce: hash,
      expires_at: time,
      typed_data: z.json().describe("EIP-712 typed data, as `eth_signTypedData_v4` takes it."),
    })
    .optional(),
});
/** What the wallet signs, or the wallet once it is bound. */
export type WalletAnswer = z.infer<typeof walletAnswerSchema>;

/** Body of the sandbox's faucet. */
export const faucetSchema = z.object({
  amount: z
    .string()
    .regex(/^[1-9][0-9]{0,26}$/, "must be decimal wei below 10^27")
    .describe("Decimal wei; 1,000 CRN when absent.")
    .optional(),
});

const count = z.int().min(0).max(1_000);

/** Payment faults of the sandbox. Absent members stay as they are. */
export const faultsSchema = z.object({
  charges_short: count.describe("So many next batches find the payer short.").optional(),
  deposit_delay_ms: z.int().min(0).max(600_000).describe("Faucet money counts after this long.").optional(),
  refuse_payment: z.boolean().describe("Nothing is available.").optional(),
});

/** All payment faults of the sandbox. */
export const faultStateSchema = faultsSchema.required();
/** All payment faults of the sandbox. */
export type FaultState = z.infer<typeof faultStateSchema>;
