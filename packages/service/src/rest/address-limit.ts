/**
 * What an address may do without a key: failed attempts to show one, requests for access, reads of public routes. A key
 * that is right passes whatever its address has used up, so that a neighbour behind the same address is not locked out.
 */
import { createRateLimit, type Rate, type RateDecision } from "./rate-limit.ts";

/** What is counted for an address. */
export type AddressAct = "attempt" | "access-request" | "public-read";

/** Takes one from what an address may do. */
export type AddressLimit = (ip: string, act: AddressAct) => RateDecision;

/** Rates of an address: attempts and reads a minute, requests an hour. */
export interface AddressRates {
  readonly attempts: Rate;
  readonly accessRequests: Rate;
  readonly publicReads: Rate;
}

/** Makes the counters. */
export function createAddressLimit(rates: AddressRates, now: () => number): AddressLimit {
  const acts = {
    attempt: { rate: rates.attempts, limit: createRateLimit({ name: "attempts", windowSeconds: 60, now }) },
    "access-request": {
      rate: rates.accessRequests,
      limit: createRateLimit({ name: "access-requests", windowSeconds: 3_600, now }),
    },
    "public-read": { rate: rates.publicReads, limit: createRateLimit({ name: "reads", windowSeconds: 60, now }) },
  };
  return (ip, act) => acts[act].limit(addressKey(ip), acts[act].rate);
}

/** What counts as one address: IPv4 whole, of IPv6 the first 64 bits, which are one subscriber's. */
export function addressKey(ip: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1];
  if (mapped !== undefined || !ip.includes(":")) return mapped ?? ip;
  const [head = "", tail] = (ip.split("%")[0] ?? "").toLowerCase().split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => "0");
  const groups = [...left, ...(tail === undefined ? [] : zeros), ...right];
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ""))
    .join(":")}::/64`;
}
