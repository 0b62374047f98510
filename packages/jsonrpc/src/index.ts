export { DEFAULT_LIMITS, type Limits } from "./limits.ts";
export { type ListenAddress, ListenError, type ListenErrorCode } from "./listen.ts";
export { createJsonRpcServer, type JsonRpcServer, type JsonRpcServerOptions } from "./server.ts";
export type { Dispatch, Log, RpcContext, RpcResult, SubscriptionSink } from "./types.ts";
