/** Owns reading what a client subscribes to from the parameters of `eth_subscribe`. */
import {
  arrayOf,
  asObject,
  boolean,
  CodecError,
  hash,
  json,
  type LogFilterParam,
  logFilter,
  rpcError,
} from "@cairn/api";
import { type LogMatcher, logMatcher } from "@cairn/chain";
import type { Hash } from "@cairn/primitives";

/** What a subscription delivers. */
export type SubscriptionKind =
  | { readonly kind: "newHeads"; readonly includeTransactions: boolean; readonly nullPowFields: boolean }
  /** `alternatives`: how many addresses and topics it names. */
  | { readonly kind: "logs"; readonly matches: LogMatcher; readonly alternatives: number }
  | { readonly kind: "newPendingTransactions"; readonly full: boolean }
  /** `hashes` empty: of all transactions. */
  | { readonly kind: "transactionReceipts"; readonly hashes: ReadonlySet<Hash> }
  | { readonly kind: "syncing" };

/** Transactions one `transactionReceipts` subscription names, as in geth. */
const MOST_HASHES = 200;

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

function receiptHashes(options: unknown): ReadonlySet<Hash> {
  if (options === undefined) return new Set();
  const { transactionHashes } = asObject(options);
  if (transactionHashes === undefined || transactionHashes === null) return new Set();
  if (Array.isArray(transactionHashes) && transactionHashes.length > MOST_HASHES) {
    throw rpcError("too-many-receipt-hashes", {});
  }
  return new Set(arrayOf(hash, MOST_HASHES).decode(transactionHashes));
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
    case "transactionReceipts":
      return { kind: name, hashes: decodeOptions(() => receiptHashes(options)) };
    case "syncing":
      return { kind: name };
    default:
      throw rpcError("unknown-subscription", { kind: name.slice(0, 64) });
  }
}
