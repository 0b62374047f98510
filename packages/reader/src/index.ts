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
export { type Audit, type LetterFilter, openAudit, type ReplayOutcome } from "./operations/audit.ts";
export { type BackfillProgress, backfill } from "./operations/backfill.ts";
export { OperationError } from "./operations/operation-error.ts";
export { type ProbeRow, probeEntries } from "./operations/probe.ts";
export { type ReaderOptions, type ReloadResult, type RunningReader, startReader } from "./reader.ts";
export { renderReaderReference } from "./reference.ts";
export { ReaderListenError } from "./rest/listen.ts";
export { startProbeServer } from "./rest/probe-server.ts";
export { parseBlockNumber } from "./rest/push-door.ts";
export type { AdapterBlock, AdapterEntry, AdapterSource, CreateSource } from "./sdk/adapter.ts";
export { createAdapterOpener } from "./sdk/open-adapter.ts";
export type { DeadLetter } from "./state/dead-letters.ts";
export { DirectoryInUseError } from "./state/directory-lock.ts";
export { StateTooNewError } from "./state/schema.ts";
export { type ConfigWatch, watchConfig } from "./watch-config.ts";
export type { EntryStatus } from "./worker/entry-status.ts";
