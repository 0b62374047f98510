/**
 * Composition of a reader: one worker per entry, the state store, and the HTTP endpoint. Owns starting, stopping and
 * replacing entries; not what a worker does.
 */
import { parseAddress, type ReaderConfig, type ReaderMode } from "./config/config.ts";
import type { Entry } from "./config/entry.ts";
import type { Log } from "./log.ts";
import { createPushDoor } from "./rest/push-door.ts";
import { type RestServer, startRestServer } from "./rest/rest-server.ts";
import { createAdapterOpener } from "./sdk/open-adapter.ts";
import { createCursorFile, createMerkleCursorFile } from "./state/cursor-file.ts";
import { openStateStore, type StateStore } from "./state/state-store.ts";
import { steadyNow } from "./steady-clock.ts";
import type { EntryStatus } from "./worker/entry-status.ts";
import { createEntryWorker, type EntryWorker } from "./worker/entry-worker.ts";
import { createBlockFollower, createEventFollower, type Follower, type FollowerOptions } from "./worker/follower.ts";
import { endpointsOf, openReading, type Reading } from "./worker/reading.ts";
import { createHttpSubmissions, type SubmissionPort } from "./worker/submission.ts";

/** How a reader is run. */
export interface ReaderOptions {
  readonly config: ReaderConfig;
  readonly mode: ReaderMode;
  /** Directory of the reader's own state (ring of hashes, pushes, dead letters). */
  readonly stateDir: string;
  /** Where adapters of `sdk` entries are looked up. Default: the working directory. */
  readonly modulesDir?: string;
  readonly log: Log;
}

/** What a reload changed, by entry key. */
export interface ReloadResult {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

/** A reader that reads. */
export interface RunningReader {
  /** Of the REST endpoint in modes REST and BOTH, of health and metrics where they are asked for in LOOP. */
  readonly url: string | undefined;
  status(): readonly EntryStatus[];
  /** Replaces the list of entries; those that stayed the same go on. Nothing changes when it throws. */
  reload(config: ReaderConfig): Promise<ReloadResult>;
  /** Ends after the request in progress; nothing acknowledged is lost. */
  close(): Promise<void>;
}

interface Running {
  readonly worker: EntryWorker;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

/** Starts reading. Throws ReaderListenError when the address is taken, ReaderConfigError for an unusable adapter. */
export async function startReader(options: ReaderOptions): Promise<RunningReader> {
  const { config, log } = options;
  const store = openStateStore(options.stateDir);
  const running = new Map<string, Running>();
  const workers = () => [...running.values()].map(({ worker }) => worker);
  let rest: RestServer | undefined;
  let changing: Promise<unknown> = Promise.resolve();
  for (const warning of config.warnings) log.warn({}, warning);
  try {
    const readings = await openReadings(config.entries, options);
    rest = await listen(options, workers, store);
    for (const reading of readings) running.set(reading.entry.key, startWorker(reading, options, store));
  } catch (error) {
    store.close();
    throw error;
  }

  async function end(key: string): Promise<void> {
    const old = running.get(key);
    running.delete(key);
    old?.stop.abort();
    await old?.ended;
  }

  async function reload(next: ReaderConfig): Promise<ReloadResult> {
    const same = (entry: Entry) => running.get(entry.key)?.worker.entry.digest === entry.digest;
    const keys = new Set(next.entries.map((entry) => entry.key));
    const fresh = next.entries.filter((entry) => !same(entry));
    const readings = await openReadings(fresh, options);
    const removed = [...running.keys()].filter((key) => !keys.has(key));
    const changed = fresh.filter((entry) => running.has(entry.key)).map((entry) => entry.key);
    for (const key of [...removed, ...changed]) await end(key);
    for (const reading of readings) running.set(reading.entry.key, startWorker(reading, options, store));
    for (const warning of next.warnings) log.warn({}, warning);
    return { added: fresh.map((entry) => entry.key).filter((key) => !changed.includes(key)), removed, changed };
  }

  return {
    url: rest?.url,
    status: () => workers().map((worker) => worker.status()),
    reload(next) {
      const turn = changing.then(() => reload(next));
      changing = turn.catch(() => {});
      return turn;
    },
    async close() {
      await changing;
      await rest?.close();
      await Promise.all([...running.keys()].map(end));
      store.close();
    },
  };
}

async function openReadings(entries: readonly Entry[], options: ReaderOptions): Promise<readonly Reading[]> {
  const openAdapter = createAdapterOpener(options.modulesDir ?? process.cwd());
  return Promise.all(entries.map((entry) => openReading(entry, endpointsOf(entry), openAdapter)));
}

function startWorker(reading: Reading, { config, mode, log }: ReaderOptions, store: StateStore): Running {
  const submissions = createHttpSubmissions({ url: config.serviceUrl, token: config.serviceToken });
  const worker = workerOf(reading, config.blockNumbersDir, mode !== "REST", { store, submissions, log });
  const stop = new AbortController();
  return { worker, stop, ended: worker.run(stop.signal) };
}

interface Ports {
  readonly store: StateStore;
  readonly submissions: SubmissionPort;
  readonly log: Log;
}

function workerOf(reading: Reading, dir: string, follows: boolean, ports: Ports): EntryWorker {
  const createFollower = (o: FollowerOptions) => followerOf(reading, dir, o);
  return createEntryWorker({ reading, createFollower, follows, ...ports, now: steadyNow, random: Math.random });
}

function followerOf(reading: Reading, dir: string, options: FollowerOptions): Follower {
  if (reading.kind === "blocks")
    return createBlockFollower(reading, createCursorFile(dir, reading.entry.name), options);
  return createEventFollower(reading, createMerkleCursorFile(dir, reading.entry.name), options);
}

/** The REST endpoint; in LOOP health and metrics alone, where an address is given for them. */
async function listen(
  { config, mode, log }: ReaderOptions,
  workers: () => readonly EntryWorker[],
  store: StateStore,
): Promise<RestServer | undefined> {
  const common = { token: config.token, workers, store, mode, log };
  if (mode !== "LOOP") {
    const door = createPushDoor({ workers, store, now: steadyNow });
    return startRestServer({ ...parseAddress(config.address), ...common, door });
  }
  if (config.metricsAddress === undefined) return undefined;
  return startRestServer({ ...parseAddress(config.metricsAddress, "metrics_address"), ...common, door: undefined });
}
