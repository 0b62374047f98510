/**
 * Quotes: a price that holds for an account until its time is over. Nothing is stored: the id carries price and time
 * under an authentication code of this service. Owns the id's form; not prices.
 */
import { createHmac, timingSafeEqual } from "node:crypto";

/** What a quote fixes. */
export interface Quote {
  /** `system/curve`. */
  readonly pricedAs: string;
  readonly plan: string;
  readonly priceWei: bigint;
  readonly expiresAtMs: number;
}

/** What an id says. */
export type QuoteReading =
  | { readonly ok: true; readonly quote: Quote }
  | { readonly ok: false; readonly code: "unknown" | "expired" };

/** Makes and reads quotes. */
export interface Quotes {
  issue(account: string, quote: Quote): string;
  /** `unknown`: not made by this service for this account. */
  read(account: string, id: string, nowMs: number): QuoteReading;
}

const TAG_BYTES = 16;

/** Quotes under one secret key. */
export function createQuotes(key: Uint8Array): Quotes {
  const tagOf = (account: string, body: string): string => {
    const hmac = createHmac("sha256", key).update("cairn/quote/1\0").update(body).update("\0").update(account);
    return hmac.digest().subarray(0, TAG_BYTES).toString("base64url");
  };
  return {
    issue: (account, { pricedAs, plan, priceWei, expiresAtMs }) => {
      const text = JSON.stringify([pricedAs, plan, priceWei.toString(), expiresAtMs]);
      const body = Buffer.from(text).toString("base64url");
      return `q1.${body}.${tagOf(account, body)}`;
    },
    read: (account, id, nowMs) => {
      const [version, body = "", tag = ""] = id.split(".");
      const [given, expected] = [Buffer.from(tag), Buffer.from(tagOf(account, body))];
      const isOurs = version === "q1" && given.length === expected.length && timingSafeEqual(given, expected);
      if (!isOurs) return { ok: false, code: "unknown" };
      const [pricedAs, plan, price, expiresAtMs] = JSON.parse(Buffer.from(body, "base64url").toString());
      const quote: Quote = { pricedAs, plan, priceWei: BigInt(price), expiresAtMs };
      return nowMs < quote.expiresAtMs ? { ok: true, quote } : { ok: false, code: "expired" };
    },
  };
}
