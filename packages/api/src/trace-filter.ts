/** Owns the parameters of Parity's trace methods on the wire. */
import type { Address } from "@cairn/primitives";
import { type BlockTag, blockNumber } from "./block-selector.ts";
import { type CallParam, callObject } from "./call-object.ts";
import { arrayOf, asObject, type Codec, CodecError, member } from "./codec.ts";
import { address, count } from "./codecs.ts";

const TYPES = ["trace", "vmTrace", "stateDiff"] as const;

/** What a replay answers. */
export type TraceType = (typeof TYPES)[number];

/** One of Parity's kinds of traces. */
export const traceType: Codec<TraceType> = {
  title: "trace type",
  schema: { enum: TYPES },
  decode(value) {
    const type = TYPES.find((known) => known === value);
    if (type === undefined) throw new CodecError(`expected one of ${TYPES.join(", ")}`);
    return type;
  },
};

/** A call and what is asked of its trace: a pair. */
export type TracedCallParam = readonly [CallParam, readonly TraceType[]];

/** One entry of `trace_callMany`. */
export const tracedCall: Codec<TracedCallParam> = {
  title: "call and trace types",
  schema: { type: "array", prefixItems: [callObject.schema, arrayOf(traceType, TYPES.length).schema] },
  decode(value) {
    if (!Array.isArray(value) || value.length !== 2) throw new CodecError("expected a call and its trace types");
    return [callObject.decode(value[0]), arrayOf(traceType, TYPES.length).decode(value[1])];
  },
};

/** A decoded filter; addresses in lower case. */
export interface TraceFilter {
  readonly fromBlock: BlockTag | bigint;
  readonly toBlock: BlockTag | bigint;
  readonly fromAddress: readonly Address[];
  readonly toAddress: readonly Address[];
  /** So many matches are left out. */
  readonly after: number;
  readonly count?: number;
}

const MAX_ADDRESSES = 1000;
const addresses = arrayOf(address, MAX_ADDRESSES);
const properties = {
  fromBlock: blockNumber.schema,
  toBlock: blockNumber.schema,
  fromAddress: addresses.schema,
  toAddress: addresses.schema,
  after: count.schema,
  count: count.schema,
};

/** A filter over the traces of a block range; no addresses match all. */
export const traceFilter: Codec<TraceFilter> = {
  title: "trace filter",
  schema: { type: "object", properties },
  decode(value) {
    const object = asObject(value);
    const most = member(object, "count", count);
    return {
      fromBlock: member(object, "fromBlock", blockNumber) ?? "latest",
      toBlock: member(object, "toBlock", blockNumber) ?? "latest",
      fromAddress: member(object, "fromAddress", addresses) ?? [],
      toAddress: member(object, "toAddress", addresses) ?? [],
      after: Number(member(object, "after", count) ?? 0n),
      ...(most === undefined ? {} : { count: Number(most) }),
    };
  },
};
