/** Owns reading what a client subscribes to from the parameters of `eth_subscribe`. */
import { boolean, CodecError, json, logFilter, rpcError } from "@cairn/api";
import { type LogMatcher, logMatcher } from "@cairn/chain";

/** What a subscription delivers. */
export type SubscriptionKind =
  | { readonly kind: "newHeads"; readonly includeTransactions: boolean; readonly nullPowFields: boolean }
  | { readonly kind: "logs"; readonly matches: LogMatcher }
  | { readonly kind: "newPendingTransactions"; readonly full: boolean };

function decodeOptions<T>(decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    throw error instanceof CodecError ? rpcError("invalid-argument", { index: 1, fault: error.message }) : error;
  }
}

function includesTransactions(options: unknown): boolean {
  if (options === undefined) return false;
  const value = json.decode(options);
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new CodecError("expected an object");
  const flag = "includeTransactions" in value ? value.includeTransactions : undefined;
  return flag === undefined || flag === null ? false : boolean.decode(flag);
}

/** The subscription that name and options ask for. Throws `RpcError`. */
export function readSubscription(o: {
  readonly name: string;
  readonly options: unknown;
  readonly nullPowFields: boolean;
}): SubscriptionKind {
  const { name, options, nullPowFields } = o;
  switch (name) {
    case "newHeads":
      return { kind: name, includeTransactions: decodeOptions(() => includesTransactions(options)), nullPowFields };
    case "logs": {
      // A live subscription starts now: bounds in the filter are ignored, as in geth.
      return { kind: name, matches: logMatcher(decodeOptions(() => logFilter.decode(options ?? {}))) };
    }
    case "newPendingTransactions":
      return { kind: name, full: options === undefined ? false : decodeOptions(() => boolean.decode(options)) };
    default:
      throw rpcError("unknown-subscription", { kind: name.slice(0, 64) });
  }
}
