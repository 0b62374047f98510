/** What a submission costs before it is verified, and on what terms: a quote's, or the account's plan. Pure. */
import { type PaymentTerms, type PricePlan, pricedAs, reservedPrice } from "@cairn/aggregator";
import type { Quote, QuoteReading } from "./quotes.ts";

/** Names a system where the proof says it at once; larger ones and bare artifacts are priced when they are verified. */
export function declaredSystem(proofData: string): { readonly system: string; readonly curve: string } | undefined {
  if (proofData.length > MAX_READ || !proofData.trimStart().startsWith("{")) return undefined;
  try {
    const { system, curve } = JSON.parse(proofData) as { readonly system?: unknown; readonly curve?: unknown };
    if (typeof system !== "string") return undefined;
    return { system, curve: typeof curve === "string" && system !== "commitment" ? curve : "" };
  } catch {
    return undefined;
  }
}

const MAX_READ = 64 * 1024;

/** Why a quote does not fit. */
export type QuoteFault = "unknown" | "expired" | "other-system";

/** Price and cover of a submission. */
export function priceTerms(o: {
  readonly plan: { readonly name: string; readonly prices: PricePlan };
  readonly declared: { readonly system: string; readonly curve: string } | undefined;
  readonly quote: QuoteReading | undefined;
}): Pick<PaymentTerms, "plan" | "priceWei" | "quotedFor"> | QuoteFault {
  const { plan, declared, quote } = o;
  if (quote === undefined) {
    return { plan: plan.name, priceWei: reservedPrice(plan.prices, declared), quotedFor: undefined };
  }
  if (!quote.ok) return quote.code;
  if (declared !== undefined && !isQuotedFor(quote.quote, declared)) return "other-system";
  return { plan: quote.quote.plan, priceWei: quote.quote.priceWei, quotedFor: quote.quote.pricedAs };
}

function isQuotedFor(quote: Quote, { system, curve }: { readonly system: string; readonly curve: string }): boolean {
  const isUnnamed = curve === "" && quote.pricedAs.startsWith(`${system}/`);
  return isUnnamed || quote.pricedAs === pricedAs(system, curve);
}
