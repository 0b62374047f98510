/** Following the configuration's file: a change is read, validated as a whole, and only then replaces the list. */
import { statSync } from "node:fs";
import type { ReaderConfig } from "./config/config.ts";
import type { Log } from "./log.ts";
import type { ReloadResult, RunningReader } from "./reader.ts";

/** A watch over a configuration's file. */
export interface ConfigWatch {
  /** Reads the file now (SIGHUP); resolves with what changed, undefined when it could not be used. */
  reload(): Promise<ReloadResult | undefined>;
  close(): void;
}

/** Which file, and who is told. */
export interface ConfigWatchOptions {
  readonly file: string;
  /** Reads and validates the file; throws with a message for the operator. */
  readonly load: () => ReaderConfig;
  readonly running: ReaderConfig;
  readonly reader: Pick<RunningReader, "reload">;
  readonly log: Log;
  readonly pollMs?: number;
}

/** What of the configuration is not part of the list. */
const AT_START_ONLY = ["serviceUrl", "serviceToken", "address", "metricsAddress", "token", "blockNumbersDir"] as const;

/** Watches a file; an unusable one is logged and the list in use stays. */
export function watchConfig(options: ConfigWatchOptions): ConfigWatch {
  const { file, log } = options;
  let seen = fingerprint(file);

  async function reload(): Promise<ReloadResult | undefined> {
    seen = fingerprint(file);
    try {
      const next = options.load();
      const fixed = AT_START_ONLY.filter((key) => next[key] !== options.running[key]);
      if (fixed.length > 0) log.warn({ settings: fixed }, "these settings take effect at the next start");
      const result = await options.reader.reload(next);
      log.info({ ...result }, "the list of entries was read again");
      return result;
    } catch (error) {
      const reason = error instanceof Error ? error.message : "unknown error";
      log.error({ reason }, "the configuration cannot be used; the list stays as it was");
      return undefined;
    }
  }

  const timer = setInterval(() => {
    if (fingerprint(file) !== seen) void reload();
  }, options.pollMs ?? 1_000);
  return { reload, close: () => clearInterval(timer) };
}

/** Of a file's place and time; a missing one (an editor renaming) has its own. */
function fingerprint(file: string): string {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat === undefined ? "missing" : `${stat.ino}|${stat.size}|${stat.mtimeMs}`;
}
