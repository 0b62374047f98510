/** Owns the parameters of `eth_callMany` on the wire, as Erigon and reth take them. Limits are the handler's. */
import { type BlockSelector, blockSelector } from "./block-selector.ts";
import { type CallParam, callObject } from "./call-object.ts";
import { arrayOf, asObject, type Codec, CodecError, member } from "./codec.ts";
import { type BlockOverridesParam, blockOverrides } from "./overrides.ts";

/** Calls that see one block. */
export interface CallBundleParam {
  readonly transactions: readonly CallParam[];
  readonly blockOverride: BlockOverridesParam;
}

/** Bundles in their order. */
export type CallManyParam = readonly CallBundleParam[];

/** Where bundles run: in the environment of which block, after how many of its transactions (-1 or absent: all). */
export interface CallManyContext {
  readonly blockNumber: BlockSelector;
  readonly transactionIndex?: number;
}

/** Far above what the handler takes, so that it can answer its own error. */
const MAX_ITEMS = 100_000;

const transactions = arrayOf(callObject, MAX_ITEMS);

const bundle: Codec<CallBundleParam> = {
  title: "bundle",
  schema: {
    type: "object",
    properties: { transactions: transactions.schema, blockOverride: blockOverrides.schema },
  },
  decode(value) {
    const object = asObject(value);
    return {
      transactions: member(object, "transactions", transactions) ?? [],
      blockOverride: member(object, "blockOverride", blockOverrides) ?? {},
    };
  },
};

const transactionIndex: Codec<number> = {
  title: "transaction index",
  schema: { anyOf: [{ type: "integer", minimum: -1 }, { type: "string" }] },
  decode(value) {
    const index = typeof value === "string" && /^0x(0|[1-9a-f][0-9a-f]{0,7})$/.test(value) ? Number(value) : value;
    if (typeof index !== "number" || !Number.isSafeInteger(index) || index < -1) {
      throw new CodecError("expected an index, or -1 for all");
    }
    return index;
  },
};

/** The bundles of `eth_callMany`. */
export const callBundles: Codec<CallManyParam> = { ...arrayOf(bundle, MAX_ITEMS), title: "bundles" };

/** The simulation context of `eth_callMany`. */
export const callManyContext: Codec<CallManyContext> = {
  title: "simulation context",
  schema: {
    type: "object",
    properties: { blockNumber: blockSelector.schema, transactionIndex: transactionIndex.schema },
  },
  decode(value) {
    const object = asObject(value);
    const index = member(object, "transactionIndex", transactionIndex);
    return {
      blockNumber: member(object, "blockNumber", blockSelector) ?? "latest",
      ...(index === undefined ? {} : { transactionIndex: index }),
    };
  },
};
