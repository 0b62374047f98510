/** Reads the `where` option: a value per argument, or `{ not: value }`, of the argument's own type. */
import type { AbiType } from "../abi/abi-type.ts";
import type { Signature } from "../abi/signature.ts";
import type { Where } from "./event-spec.ts";

/** Filters, or the name of the argument whose value is not of its type. */
export function parseWhere(value: unknown, signature: Signature): readonly Where[] | { readonly wrong: string } {
  if (value === undefined) return [];
  if (typeof value !== "object" || value === null || Array.isArray(value)) return { wrong: "" };
  const filters: Where[] = [];
  for (const [argument, wanted] of Object.entries(value)) {
    const type = signature.parameters.find(({ name }) => name === argument)?.type;
    const negated = typeof wanted === "object" && wanted !== null && Object.keys(wanted).join() === "not";
    const plain = negated ? (wanted as { readonly not: unknown }).not : wanted;
    const typed = type === undefined ? undefined : ofType(plain, type);
    if (typed === undefined) return { wrong: argument };
    filters.push({ argument, equal: !negated, value: typed });
  }
  return filters;
}

/** A configured value as the decoder gives it; undefined when it is not of that type. */
function ofType(value: unknown, type: AbiType): Where["value"] | undefined {
  switch (type.kind) {
    case "uint":
    case "int":
      return integer(value);
    case "bool":
      return typeof value === "boolean" ? value : undefined;
    case "address":
      return hexOf(value, 20);
    case "fixed-bytes":
      return integer(value) === 0n ? `0x${"00".repeat(type.size)}` : hexOf(value, type.size);
    case "bytes":
      return hexOf(value, undefined);
    case "string":
      return typeof value === "string" ? value : undefined;
    default:
      return undefined;
  }
}

function integer(value: unknown): bigint | undefined {
  if (typeof value === "number" && Number.isSafeInteger(value)) return BigInt(value);
  return typeof value === "string" && /^(-?\d{1,78}|0x[0-9a-fA-F]{1,64})$/.test(value) ? BigInt(value) : undefined;
}

function hexOf(value: unknown, size: number | undefined): string | undefined {
  const digits = size === undefined ? "*" : `{${size}}`;
  const isHex = typeof value === "string" && new RegExp(`^0x([0-9a-fA-F]{2})${digits}$`).test(value);
  return isHex ? value.toLowerCase() : undefined;
}
