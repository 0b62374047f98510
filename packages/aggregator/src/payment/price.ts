/** Prices (proof-service: payment): verification by system and curve, inclusion, a share of the anchor. Pure; in wei. */

import { least, most } from "./amount.ts";

/** A price plan. */
export interface PricePlan {
  /** By `system/curve`, `system` alone where it has no curve or all curves cost the same. */
  readonly verificationWei: Readonly<Record<string, bigint>>;
  /** For systems that the plan does not name. */
  readonly otherVerificationWei: bigint;
  readonly inclusionWei: bigint;
  readonly anchorWei: bigint;
}

/** What a price is made of. */
export interface PriceParts {
  readonly verificationWei: bigint;
  readonly inclusionWei: bigint;
  readonly anchorWei: bigint;
  readonly totalWei: bigint;
}

/** What a system and curve are priced under. */
export function pricedAs(system: string, curve: string): string {
  return curve === "" ? system : `${system}/${curve}`;
}

/** The price of one submission of a system; undefined: of one that is not recognised yet, the plan's highest. */
export function priceOf(
  plan: PricePlan,
  system: { readonly system: string; readonly curve: string } | undefined,
): PriceParts {
  const verificationWei = system === undefined ? highest(plan) : verification(plan, system);
  const { inclusionWei, anchorWei } = plan;
  return { verificationWei, inclusionWei, anchorWei, totalWei: verificationWei + inclusionWei + anchorWei };
}

/** What is reserved before verification: the price where the plan names the system, else the plan's highest. */
export function reservedPrice(
  plan: PricePlan,
  declared: { readonly system: string; readonly curve: string } | undefined,
): bigint {
  const isNamed = declared !== undefined && namedPrice(plan, declared) !== undefined;
  return priceOf(plan, isNamed ? declared : undefined).totalWei;
}

function verification(plan: PricePlan, system: { readonly system: string; readonly curve: string }): bigint {
  return namedPrice(plan, system) ?? plan.otherVerificationWei;
}

function namedPrice(plan: PricePlan, o: { readonly system: string; readonly curve: string }): bigint | undefined {
  const named = (name: string) => (Object.hasOwn(plan.verificationWei, name) ? plan.verificationWei[name] : undefined);
  return named(pricedAs(o.system, o.curve)) ?? named(o.system);
}

function highest(plan: PricePlan): bigint {
  const prices = Object.values(plan.verificationWei);
  return prices.reduce(most, plan.otherVerificationWei);
}

/** Price plans by name. */
export type PricePlans = Readonly<Record<string, PricePlan>>;

/** What a verified submission is priced under. */
export function pricedFacts(facts: { readonly kind: string; readonly system: string; readonly curve: string }) {
  return { system: facts.system, curve: facts.kind === "commitment" ? "" : facts.curve };
}

/**
 * The price of a submission whose system is known now: what its quote fixed, or its plan's price, never more than is
 * reserved. Undefined: its quote is for another system.
 */
export function verifiedPrice(
  payment: { readonly plan: string; readonly priceWei: bigint; readonly quotedFor: string | undefined },
  facts: { readonly kind: string; readonly system: string; readonly curve: string },
  plans: PricePlans,
): bigint | undefined {
  const priced = pricedFacts(facts);
  if (payment.quotedFor !== undefined) {
    return payment.quotedFor === pricedAs(priced.system, priced.curve) ? payment.priceWei : undefined;
  }
  const plan = Object.hasOwn(plans, payment.plan) ? plans[payment.plan] : undefined;
  const price = plan === undefined ? payment.priceWei : priceOf(plan, priced).totalWei;
  return least(price, payment.priceWei);
}

const GWEI = 10n ** 9n;

/** Prices where no other plan is configured: 0.0035 CRN for a Groth16 proof over BN254. */
export const STANDARD_PLAN: PricePlan = {
  verificationWei: {
    commitment: 0n,
    "groth16/bn254": 2_000_000n * GWEI,
    "groth16/bls12-381": 3_000_000n * GWEI,
  },
  otherVerificationWei: 4_000_000n * GWEI,
  inclusionWei: 1_000_000n * GWEI,
  anchorWei: 500_000n * GWEI,
};
