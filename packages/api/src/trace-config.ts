/**
 * Owns the options of traces on the wire (geth's `TraceConfig` and `TraceCallConfig`). What a tracer does with its own
 * options is the native core's.
 */
import type { Hash } from "@cairn/primitives";
import { asObject, type Codec, CodecError, member } from "./codec.ts";
import { boolean, hash, number, quantity64, string } from "./codecs.ts";
import { type BlockOverridesParam, blockOverrides, type StateOverridesParam, stateOverrides } from "./overrides.ts";

/** Decoded options of a trace; absent members have geth's defaults. */
export interface TraceConfig {
  /** Name or JavaScript code of a tracer; struct logs when absent. */
  readonly tracer?: string;
  readonly tracerConfig?: Readonly<Record<string, unknown>>;
  readonly timeoutMs?: number;
  readonly enableMemory?: boolean;
  readonly disableStack?: boolean;
  readonly disableStorage?: boolean;
  readonly enableReturnData?: boolean;
  /** Struct logs end after this many bytes. */
  readonly limit?: number;
}

/** Decoded options of `debug_traceCall`. */
export interface TraceCallConfig extends TraceConfig {
  readonly stateOverrides?: StateOverridesParam;
  readonly blockOverrides?: BlockOverridesParam;
  readonly txIndex?: number;
}

/** Decoded options of `debug_standardTraceBlockToFile`. */
export interface StandardTraceConfig
  extends Pick<TraceConfig, "enableMemory" | "disableStack" | "disableStorage" | "enableReturnData"> {
  /** Only this transaction. */
  readonly txHash?: Hash;
}

const UNITS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};
const MAX_TRACER = 256 * 1024;

/** A duration as Go spells it: `5s`, `1m30s`, `250ms`. */
const duration: Codec<number> = {
  title: "duration",
  schema: { type: "string", pattern: "^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$" },
  decode(value) {
    const text = string.decode(value);
    if (text.length > 64 || !/^(?:\d+(?:\.\d+)?(?:ns|us|µs|ms|s|m|h))+$/.test(text)) {
      throw new CodecError(`time: invalid duration "${text.slice(0, 64)}"`);
    }
    const parts = text.matchAll(/(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)/g);
    const total = [...parts].reduce((sum, [, count, unit = "s"]) => sum + Number(count) * (UNITS[unit] ?? 0), 0);
    return Math.min(Math.ceil(total), Number.MAX_SAFE_INTEGER);
  },
};

const limit: Codec<number> = {
  title: "limit",
  schema: { type: "integer", minimum: 0 },
  decode(value) {
    const count = number.decode(value);
    if (!Number.isSafeInteger(count) || count < 0) throw new CodecError("expected a whole number");
    return count;
  },
};

const tracer: Codec<string> = {
  title: "tracer",
  schema: { type: "string", maxLength: MAX_TRACER },
  decode(value) {
    const text = string.decode(value);
    if (text.length > MAX_TRACER) throw new CodecError(`too long: at most ${MAX_TRACER} characters`);
    return text;
  },
};

const anyObject: Codec<Readonly<Record<string, unknown>>> = {
  title: "object",
  schema: { type: "object" },
  decode: asObject,
};

const txIndex: Codec<number> = {
  title: "index",
  schema: quantity64.schema,
  decode: (value) => Number(quantity64.decode(value)),
};

const fields = {
  ...{ tracer, tracerConfig: anyObject, timeout: duration, limit },
  ...{ enableMemory: boolean, disableStack: boolean, disableStorage: boolean, enableReturnData: boolean },
} as const;

const callFields = { ...fields, stateOverrides, blockOverrides, txIndex } as const;

const standardFields = {
  ...{ txHash: hash },
  ...{ enableMemory: boolean, disableStack: boolean, disableStorage: boolean, enableReturnData: boolean },
} as const;

function decodeFields(codecs: Readonly<Record<string, Codec<unknown>>>, value: unknown): Record<string, unknown> {
  const object = asObject(value);
  const entries = Object.entries(codecs).map(([name, codec]) => [name, member(object, name, codec)] as const);
  const present = entries.filter(([, field]) => field !== undefined);
  return Object.fromEntries(present.map(([name, field]) => [name === "timeout" ? "timeoutMs" : name, field]));
}

const schemaOf = (codecs: Readonly<Record<string, Codec<unknown>>>) => ({
  type: "object",
  properties: Object.fromEntries(Object.entries(codecs).map(([name, codec]) => [name, codec.schema])),
});

/** Options of a trace; unknown members are ignored. */
export const traceConfig: Codec<TraceConfig> = {
  title: "trace options",
  schema: schemaOf(fields),
  decode: (value) => decodeFields(fields, value),
};

/** Options of `debug_traceCall`. */
export const traceCallConfig: Codec<TraceCallConfig> = {
  title: "call trace options",
  schema: schemaOf(callFields),
  decode: (value) => decodeFields(callFields, value),
};

/** Options of a standard trace; unknown members are ignored. */
export const standardTraceConfig: Codec<StandardTraceConfig> = {
  title: "standard trace options",
  schema: schemaOf(standardFields),
  decode: (value) => decodeFields(standardFields, value),
};
