/** The file of price plans that `payment.price-plans` names. Owns its form; prices are wei in decimal text. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { PricePlan, PricePlans } from "@cairn/aggregator";
import { ConfigError } from "@cairn/api";

type Json = Readonly<Record<string, unknown>>;

const SETTING = "payment.price-plans";
const WEI = /^(?:0|[1-9][0-9]{0,37})$/;
const MEMBERS = ["verification", "other_verification", "inclusion", "anchor"];

/** Plans of a file; relative paths start at the home. Throws `ConfigError`. */
export function readPricePlans(home: string, path: string): PricePlans {
  const file = resolve(home, path);
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new ConfigError("unreadable", SETTING, `${path} is missing or no JSON text`, { cause: error });
  }
  const plans = Object.entries(objectOf(path, value, "the file"));
  return Object.fromEntries(plans.map(([name, plan]) => [name, pricePlan(path, name, objectOf(path, plan, name))]));
}

function pricePlan(path: string, name: string, plan: Json): PricePlan {
  const unknown = Object.keys(plan).find((member) => !MEMBERS.includes(member));
  if (unknown !== undefined) throw invalid(path, `${name}.${unknown} is no member of a plan`);
  const prices = Object.entries(objectOf(path, plan.verification, `${name}.verification`));
  const price = (member: string): bigint => weiOf(path, plan[member], `${name}.${member}`);
  return {
    verificationWei: Object.fromEntries(
      prices.map(([system, value]) => [system, weiOf(path, value, `${name}.verification.${system}`)]),
    ),
    otherVerificationWei: price("other_verification"),
    inclusionWei: price("inclusion"),
    anchorWei: price("anchor"),
  };
}

function objectOf(path: string, value: unknown, where: string): Json {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Json;
  throw invalid(path, `${where} is no object`);
}

function weiOf(path: string, value: unknown, where: string): bigint {
  if (typeof value === "string" && WEI.test(value)) return BigInt(value);
  throw invalid(path, `${where} must be wei in decimal text`);
}

function invalid(path: string, problem: string): ConfigError {
  return new ConfigError("invalid-value", SETTING, `${path}: ${problem}`);
}
