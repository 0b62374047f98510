/**
 * The block reader: foreign blocks and events into submissions. Owns sources, cursors, modes and the reorganisation
 * guard; not verification or batching. It knows the service only by its HTTP door.
 */
export {
  parseReaderConfig,
  READER_MODES,
  type ReaderConfig,
  type ReaderMode,
  validateReaderConfig,
} from "./config/config.ts";
export { ReaderConfigError } from "./config/config-error.ts";
export { type ReaderOptions, type ReloadResult, type RunningReader, startReader } from "./reader.ts";
export { ReaderListenError } from "./rest/rest-server.ts";
export type { AdapterBlock, AdapterEntry, AdapterSource, CreateSource } from "./sdk/adapter.ts";
export { StateTooNewError } from "./state/schema.ts";
export type { EntryStatus } from "./worker/entry-status.ts";
