/** Amounts of the native token as people write them: CRN with up to 18 decimals, or wei by name. */
import { InvalidArgumentError } from "commander";

const DECIMALS = 18;
const AMOUNT = /^(\d{1,30})(?:\.(\d{1,18}))?$/;

/** Wei of `1.5` (CRN) or `1500wei`. Throws commander's InvalidArgumentError. */
export function parseAmount(text: string): bigint {
  const wei = /^(\d{1,40})wei$/.exec(text)?.[1];
  if (wei !== undefined) return BigInt(wei);
  const [, whole, fraction = ""] = AMOUNT.exec(text) ?? [];
  if (whole === undefined)
    throw new InvalidArgumentError("expected an amount in CRN such as 1.5, or in wei such as 1500wei");
  return BigInt(whole + fraction.padEnd(DECIMALS, "0"));
}

/** CRN without needless zeros. */
export function formatAmount(wei: bigint): string {
  const digits = wei.toString().padStart(DECIMALS + 1, "0");
  const fraction = digits.slice(-DECIMALS).replace(/0+$/, "");
  return `${digits.slice(0, -DECIMALS)}${fraction === "" ? "" : `.${fraction}`} CRN`;
}
