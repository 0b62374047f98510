/**
 * The block reader: foreign blocks into submissions. Owns sources, cursors, modes and the reorganisation guard; not
 * verification or batching. It knows the service only by its HTTP door.
 */
export { parseReaderConfig, READER_MODES, type ReaderConfig, type ReaderMode, validateReaderConfig } from "./config.ts";
export { ReaderConfigError } from "./entry.ts";
export type { EntryStatus } from "./entry-status.ts";
export { type ReaderOptions, type RunningReader, startReader } from "./reader.ts";
export { ReaderListenError } from "./rest-server.ts";
