export { type BlockSelector, type BlockTag, blockNumber, blockSelector } from "./block-selector.ts";
export type { CallBundleParam, CallManyContext, CallManyParam } from "./call-many.ts";
export { type CallParam, callObject } from "./call-object.ts";
export { arrayOf, asObject, type Codec, CodecError, type JsonSchema } from "./codec.ts";
export { boolean, hash, json, type StorageKey, storageKey } from "./codecs.ts";
export type { CallContext, CallResult, CallSink, SharedMessage } from "./context.ts";
export {
  createDispatcher,
  type Decoded,
  type Dispatcher,
  type DispatcherOptions,
  type Handler,
  type Handlers,
  type NamespaceHandlers,
} from "./dispatcher.ts";
export { RpcError, type RpcErrorName, type RpcErrorValues, rpcError, rpcErrors } from "./errors.ts";
export { type LogFilterParam, logFilter } from "./log-filter.ts";
export {
  type Access,
  type Constant,
  constant,
  type Method,
  type MethodEntry,
  type MethodTable,
  method,
  optional,
  type Param,
  type Refused,
  type ResultShape,
  refused,
  required,
} from "./method.ts";
export { debug } from "./methods/debug.ts";
export { debugProcess } from "./methods/debug-process.ts";
export { debugState } from "./methods/debug-state.ts";
export { debugTrace, MAX_BLOCK_BYTES } from "./methods/debug-trace.ts";
export { ethBlocks } from "./methods/eth-blocks.ts";
export { ethFilters } from "./methods/eth-filters.ts";
export { ethSign } from "./methods/eth-sign.ts";
export { ethSimulation } from "./methods/eth-simulation.ts";
export { ethState } from "./methods/eth-state.ts";
export { DEFAULT_NAMESPACES, methodTables, SUPPORTED_NAMESPACES } from "./methods/index.ts";
export { miner } from "./methods/miner.ts";
export { net, rpc, web3 } from "./methods/node-info.ts";
export { ots } from "./methods/ots.ts";
export { personal } from "./methods/personal.ts";
export { trace } from "./methods/trace.ts";
export { txpool } from "./methods/txpool.ts";
export {
  type MethodExamples,
  renderCompatibilityReference,
  renderNamespaceReferences,
} from "./namespace-reference.ts";
export { openRpcDocument } from "./openrpc.ts";
export type {
  AccountOverrideParam,
  BlockOverridesParam,
  StateOverridesParam,
} from "./overrides.ts";
export { renderErrorReference, renderMethodReference } from "./reference.ts";
export * from "./rest/index.ts";
export * from "./settings/index.ts";
export type { SimulatedBlockParam, SimulationParam } from "./simulation.ts";
export type { StandardTraceConfig, TraceCallConfig, TraceConfig } from "./trace-config.ts";
export type { TraceFilter, TraceType } from "./trace-filter.ts";
export type { TransactionParam } from "./transaction-object.ts";
