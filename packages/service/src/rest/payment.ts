/** Quote, account, ledger, wallet; the sandbox's faucet and payment faults. */
import { type LedgerEntry, type PriceParts, pricedAs, priceOf, spentToday } from "@cairn/aggregator";
import {
  type AccountResource,
  type FaultState,
  type FieldError,
  faucetSchema,
  faultsSchema,
  isProofSystem,
  type LedgerPage,
  proofSystems,
  type QuoteResource,
  type WalletAnswer,
  walletSchema,
} from "@cairn/api";
import type { Address } from "@cairn/primitives";
import type { Account, AccountChain } from "../accounts/account.ts";
import { FAUCET_WEI, type MockMoney } from "../payment/mock-money.ts";
import { NOBODY_PAYS } from "../payment/payments.ts";
import { acceptedBody } from "./accepted-body.ts";
import type { RestContext, RestHandler } from "./context.ts";
import { linkNext } from "./next-page.ts";
import { time } from "./present.ts";
import { ProblemError } from "./problem-error.ts";
import { oneText, pageQuery } from "./query.ts";
import { recentUsage } from "./usage.ts";

/** Where nobody pays. */
const FREE: PriceParts = { verificationWei: 0n, inclusionWei: 0n, anchorWei: 0n, totalWei: 0n };
const QUOTE_LIFETIME_MS = 15 * 60_000;

/** A price, fixed for a quarter of an hour. */
export function getQuote(context: RestContext): RestHandler {
  return async ({ http, caller }): Promise<QuoteResource> => {
    const query = http.query as Readonly<Record<string, unknown>>;
    const { system, curve } = quotedFor(query);
    const plan = context.payments.planOf(accountOf(context, caller.account));
    const parts = context.payments.place.mode === "none" ? FREE : priceOf(plan.prices, { system, curve });
    const expiresAtMs = Date.now() + QUOTE_LIFETIME_MS;
    const quote = { pricedAs: pricedAs(system, curve), plan: plan.name, priceWei: parts.totalWei, expiresAtMs };
    return {
      id: context.payments.quotes.issue(caller.account, quote),
      system,
      ...(curve === "" ? {} : { curve }),
      plan: plan.name,
      price: parts.totalWei.toString(),
      parts: partsResource(parts),
      expires_at: time(expiresAtMs),
    };
  };
}

/** What a price is asked for. Throws the `invalid-query` problem that names the parameter. */
function quotedFor(query: Readonly<Record<string, unknown>>): { readonly system: string; readonly curve: string } {
  const faults: FieldError[] = [];
  const system = oneText(query, "system", faults);
  const curve = oneText(query, "curve", faults);
  if (faults.length === 0 && system === undefined) {
    faults.push({ parameter: "system", code: "required", detail: "is required" });
  }
  if (system !== undefined && !isProofSystem(system)) {
    const detail = `must be one of ${Object.keys(proofSystems).join(", ")}`;
    faults.push({ parameter: "system", code: "unsupported-system", detail });
  }
  const curves: readonly string[] = system !== undefined && isProofSystem(system) ? proofSystems[system] : [];
  if (faults.length === 0 && curve !== undefined && !curves.includes(curve)) {
    const detail = curves.length === 0 ? `is not asked for with ${system}` : `must be one of ${curves.join(", ")}`;
    faults.push({ parameter: "curve", code: "invalid", detail });
  }
  if (faults.length > 0) throw new ProblemError("invalid-query", { errors: faults });
  return { system: system ?? "", curve: curve ?? curves[0] ?? "" };
}

function partsResource(parts: PriceParts): QuoteResource["parts"] {
  return {
    verification: parts.verificationWei.toString(),
    inclusion: parts.inclusionWei.toString(),
    anchor: parts.anchorWei.toString(),
  };
}

/** The caller's account. */
export function getAccount(context: RestContext): RestHandler {
  return async ({ caller }) => accountResource(context, caller.account);
}

async function accountResource(context: RestContext, name: string): Promise<AccountResource> {
  const { payments } = context;
  await payments.prepare(name);
  const account = accountOf(context, name);
  const books = await context.aggregator.store.books(payments.payerOf(account) ?? NOBODY_PAYS);
  const { mode, vault, settler } = payments.place;
  const { agreement, wallet } = account;
  const limits = {
    per_proof: books.maxPerProof.toString(),
    per_day: books.maxPerDay.toString(),
    spent_today: spentToday(books, Date.now()).toString(),
  };
  return {
    name,
    ...(wallet === undefined ? {} : { wallet }),
    payment: {
      mode,
      balance: (books.deposits + books.reserved + books.overdue).toString(),
      reserved: books.reserved.toString(),
      requested: books.requested.toString(),
      overdue: books.overdue.toString(),
      captured: books.captured.toString(),
      available: payments.available(books).toString(),
      ...(mode === "vault" ? { limits } : {}),
      plan: payments.planOf(account).name,
      ...(vault === undefined ? {} : { vault }),
      ...(settler === undefined ? {} : { settler }),
    },
    chains: account.chains.map(chainOf),
    ...(agreement === undefined
      ? {}
      : { quota: { per_day: agreement.perDay, settlement_days: agreement.settlementDays } }),
    usage: await recentUsage(context.aggregator.store, name, Date.now()),
  };
}

function chainOf({ chainKey, aliases, profile }: AccountChain): AccountResource["chains"][number] {
  if (profile === undefined) return { chain_id: chainKey, aliases: [...aliases] };
  const { vkHash, ...named } = profile;
  const vk_hash = vkHash === undefined ? {} : { vk_hash: vkHash };
  return { chain_id: chainKey, aliases: [...aliases], profile: { ...named, ...vk_hash } };
}

/** A page of the ledger of the account's payer. */
export function listLedger(context: RestContext): RestHandler {
  return async ({ http, reply, caller }): Promise<LedgerPage> => {
    const { payments, aggregator, cursors } = context;
    const payer = payments.payerOf(accountOf(context, caller.account));
    const listing = JSON.stringify(["ledger", caller.account, payer ?? null]);
    const page = pageQuery(cursors, listing, http.query);
    if (payer === undefined) return { items: [] };
    const found = await aggregator.store.ledgerEntries({ payer, ...page, limit: page.limit + 1 });
    const shown = found.slice(0, page.limit);
    const items = shown.map(entryResource);
    const last = found.length > page.limit ? shown.at(-1) : undefined;
    if (last === undefined) return { items };
    return { items, next_cursor: linkNext(http, reply, cursors.encode(listing, last.seq)) };
  };
}

function entryResource(entry: LedgerEntry): LedgerPage["items"][number] {
  return {
    seq: entry.seq,
    at: time(entry.atMs),
    kind: entry.kind,
    from: entry.from,
    to: entry.to,
    amount: entry.amountWei.toString(),
    ...(entry.submission === undefined ? {} : { submission: entry.submission }),
    ...(entry.batch === undefined ? {} : { batch: entry.batch }),
    ...(entry.transactionHash === undefined ? {} : { transaction_hash: entry.transactionHash }),
  };
}

/** Answers a challenge, or binds the wallet that signed it. */
export function bindWallet(context: RestContext): RestHandler {
  return async ({ http, caller, requestName }): Promise<WalletAnswer> => {
    const { value } = acceptedBody(walletSchema, http.body);
    const wallet: Address = `0x${value.address.slice(2).toLowerCase()}`;
    const { challenges } = context.payments;
    if (value.signature === undefined || value.nonce === undefined) {
      requireBoth(value);
      const { nonce, expiresAtMs, typedData } = challenges.issue(caller.account, wallet, Date.now());
      const typed_data = JSON.parse(JSON.stringify(typedData));
      return { challenge: { nonce, expires_at: time(expiresAtMs), typed_data } };
    }
    const signature = `0x${value.signature.slice(2)}` as const;
    const fault = challenges.answer({
      account: caller.account,
      wallet,
      nonce: value.nonce,
      signature,
      nowMs: Date.now(),
    });
    const account = accountOf(context, caller.account);
    // The same request again after its answer was lost with the open challenges: nothing is left to do.
    const isRepeat = requestName !== undefined && account.wallet === wallet && fault === "unknown-challenge";
    if (isRepeat) return { wallet };
    if (fault !== undefined) throw new ProblemError("wallet-conflict", { detail: CHALLENGE_DETAILS[fault] });
    await requireFree(context, account, wallet);
    context.accounts.setWallet(caller.account, wallet, Date.now());
    context.log.info({ account: caller.account, wallet }, "wallet bound");
    return { wallet };
  };
}

const CHALLENGE_DETAILS = {
  "unknown-challenge": "no challenge with this nonce is open for this wallet; ask for another",
  "wrong-signer": "the signature was not made by this wallet over the challenge",
} as const;

/** Nonce and signature belong together. */
function requireBoth(value: { readonly nonce?: string | undefined; readonly signature?: string | undefined }): void {
  if (value.nonce === undefined && value.signature === undefined) return;
  const pointer = value.nonce === undefined ? "/nonce" : "/signature";
  throw new ProblemError("invalid-body", { errors: [{ pointer, code: "required", detail: "is required" }] });
}

/** A wallet pays for one account; an account leaves a wallet behind only without debts. */
async function requireFree(context: RestContext, account: Account, wallet: Address): Promise<void> {
  if (account.wallet !== undefined && account.wallet !== wallet) {
    const { overdue } = await context.aggregator.store.books(account.wallet);
    if (overdue > 0n) throw new ProblemError("wallet-conflict", { detail: "the present wallet has overdue payments" });
  }
  // Last, so that nothing comes between this and the binding.
  const holder = context.accounts.findByWallet(wallet);
  if (holder !== undefined && holder !== account.name) {
    throw new ProblemError("wallet-conflict", { detail: "this wallet is bound to another account" });
  }
}

/** Adds mock money. */
export function sandboxFaucet(context: RestContext): RestHandler {
  return async ({ http, caller }) => {
    const { value } = acceptedBody(faucetSchema, http.body);
    const mock = mockMoney(context);
    await mock.ensure(caller.account);
    await mock.pour(caller.account, value.amount === undefined ? FAUCET_WEI : BigInt(value.amount));
    return accountResource(context, caller.account);
  };
}

/** Switches payment faults. */
export function sandboxFaults(context: RestContext): RestHandler {
  return async ({ http }): Promise<FaultState> => {
    const { value } = acceptedBody(faultsSchema, http.body);
    const mock = mockMoney(context);
    const given = Object.entries(value).filter(([, setting]) => setting !== undefined);
    mock.setFaults(Object.fromEntries(given));
    return mock.faults();
  };
}

function mockMoney({ payments }: RestContext): MockMoney {
  if (payments.mock === undefined) throw new ProblemError("not-found", { detail: "this sandbox has no mock money" });
  return payments.mock;
}

function accountOf({ accounts }: RestContext, name: string): Account {
  const account = accounts.find(name);
  if (account === undefined) throw new ProblemError("not-found", { detail: "no such account" });
  return account;
}
