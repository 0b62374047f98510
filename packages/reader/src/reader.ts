/** Composition of a reader: one worker per entry, the state store, and in REST and BOTH the HTTP endpoint. */
import { parseAddress, type ReaderConfig, type ReaderMode } from "./config.ts";
import { createCursorFile } from "./cursor-file.ts";
import type { EntryStatus } from "./entry-status.ts";
import { createEntryWorker } from "./entry-worker.ts";
import { createEvmSource } from "./evm-source.ts";
import type { Log } from "./log.ts";
import { createPushDoor } from "./push-door.ts";
import { type RestServer, startRestServer } from "./rest-server.ts";
import { openStateStore } from "./state-store.ts";
import { createHttpSubmissions } from "./submission.ts";

export interface ReaderOptions {
  readonly config: ReaderConfig;
  readonly mode: ReaderMode;
  /** Directory of the reader's own state (ring of hashes, pushes, dead letters). */
  readonly stateDir: string;
  readonly log: Log;
}

export interface RunningReader {
  /** Of the REST endpoint, in modes REST and BOTH. */
  readonly url: string | undefined;
  status(): readonly EntryStatus[];
  /** Ends after the request in progress; nothing acknowledged is lost. */
  close(): Promise<void>;
}

/** Starts reading. Throws ReaderListenError when the address is taken. */
export async function startReader(options: ReaderOptions): Promise<RunningReader> {
  const { config, mode, log } = options;
  const store = openStateStore(options.stateDir);
  const submissions = createHttpSubmissions({ url: config.serviceUrl, token: config.serviceToken });
  const workers = config.entries.map((entry) =>
    createEntryWorker({
      entry,
      source: createEvmSource(entry),
      store,
      cursor: createCursorFile(config.blockNumbersDir, entry.name),
      submissions,
      follows: mode !== "REST",
      log,
      now: Date.now,
      random: Math.random,
    }),
  );
  let rest: RestServer | undefined;
  if (mode !== "LOOP") {
    const door = createPushDoor(workers, store, Date.now);
    const common = { token: config.token, door, workers, store, mode, log };
    rest = await startRestServer({ ...parseAddress(config.address), ...common }).catch((error: unknown) => {
      store.close();
      throw error;
    });
  }
  const stop = new AbortController();
  const running = Promise.all(workers.map((worker) => worker.run(stop.signal)));
  return {
    url: rest?.url,
    status: () => workers.map((worker) => worker.status()),
    async close() {
      stop.abort();
      await rest?.close();
      await running;
      store.close();
    },
  };
}
