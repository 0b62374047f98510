/** Owns reading what a client subscribes to from the parameters of `eth_subscribe`. */
import { boolean, CodecError, json, type LogFilterParam, logFilter, rpcError } from "@cairn/api";
import { type LogMatcher, logMatcher } from "@cairn/chain";

/** What a subscription delivers. */
export type SubscriptionKind =
  | { readonly kind: "newHeads"; readonly includeTransactions: boolean; readonly nullPowFields: boolean }
  /** `alternatives`: how many addresses and topics it names. */
  | { readonly kind: "logs"; readonly matches: LogMatcher; readonly alternatives: number }
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

function alternativesOf({ addresses, topics }: LogFilterParam): number {
  return topics.reduce((sum, position) => sum + position.length, addresses.length);
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
      const filter = decodeOptions(() => logFilter.decode(options ?? {}));
      return { kind: name, matches: logMatcher(filter), alternatives: alternativesOf(filter) };
    }
    case "newPendingTransactions":
      return { kind: name, full: options === undefined ? false : decodeOptions(() => boolean.decode(options)) };
    default:
      throw rpcError("unknown-subscription", { kind: name.slice(0, 64) });
  }
}
