export { createHandlers, type RpcHandlers } from "./create-handlers.ts";
export type { RpcOptions, SyncStatus } from "./options.ts";
export { revertReason } from "./revert.ts";
