/** Owns the parameter of `eth_simulateV1` on the wire. Limits and defaults are the handler's. */
import { type CallParam, callObject } from "./call-object.ts";
import { arrayOf, asObject, type Codec, member } from "./codec.ts";
import { boolean } from "./codecs.ts";
import { type BlockOverridesParam, blockOverrides, type StateOverridesParam, stateOverrides } from "./overrides.ts";

/** One block of a simulation. */
export interface SimulatedBlockParam {
  readonly blockOverrides: BlockOverridesParam;
  readonly stateOverrides: StateOverridesParam;
  readonly calls: readonly CallParam[];
}

/** A simulation. */
export interface SimulationParam {
  readonly blocks: readonly SimulatedBlockParam[];
  readonly traceTransfers: boolean;
  readonly validation: boolean;
  readonly returnFullTransactions: boolean;
}

/** Far above what the handler takes, so that it can answer geth's error. */
const MAX_ITEMS = 100_000;

const calls = arrayOf(callObject, MAX_ITEMS);

const block: Codec<SimulatedBlockParam> = {
  title: "simulated block",
  schema: {
    type: "object",
    properties: { blockOverrides: blockOverrides.schema, stateOverrides: stateOverrides.schema, calls: calls.schema },
  },
  decode(value) {
    const object = asObject(value);
    return {
      blockOverrides: member(object, "blockOverrides", blockOverrides) ?? {},
      stateOverrides: member(object, "stateOverrides", stateOverrides) ?? {},
      calls: member(object, "calls", calls) ?? [],
    };
  },
};

const blocks = arrayOf(block, MAX_ITEMS);

/** What to simulate. */
export const simulation: Codec<SimulationParam> = {
  title: "simulation",
  schema: {
    type: "object",
    properties: {
      blockStateCalls: blocks.schema,
      traceTransfers: boolean.schema,
      validation: boolean.schema,
      returnFullTransactions: boolean.schema,
    },
  },
  decode(value) {
    const object = asObject(value);
    return {
      blocks: member(object, "blockStateCalls", blocks) ?? [],
      traceTransfers: member(object, "traceTransfers", boolean) ?? false,
      validation: member(object, "validation", boolean) ?? false,
      returnFullTransactions: member(object, "returnFullTransactions", boolean) ?? false,
    };
  },
};
