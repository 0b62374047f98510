export { createHandlers, type RpcHandlers } from "./create-handlers.ts";
export type { LogLevel, RpcOptions, SyncStatus } from "./options.ts";
export { revertReason } from "./revert.ts";
