/**
 * Composition of a reader: one worker per entry, the state store, and the HTTP endpoint. Owns starting, stopping and
 * replacing entries; not what a worker does.
 */
import { type CallLimits, createCallLimits, READER_LIMITS } from "./call-limits.ts";
import { parseAddress, type ReaderConfig, type ReaderMode } from "./config/config.ts";
import type { Entry } from "./config/entry.ts";
import type { Log } from "./log.ts";
import type { RestServer } from "./rest/listen.ts";
import { createPushDoor } from "./rest/push-door.ts";
import { startRestServer } from "./rest/rest-server.ts";
import { createAdapterOpener } from "./sdk/open-adapter.ts";
import { createCursorFile, createMerkleCursorFile } from "./state/cursor-file.ts";
import { type DirectoryLock, lockDirectory } from "./state/directory-lock.ts";
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
  /**
   * Replaces the list of entries; those that stayed the same go on, and those that had stopped begin again. Nothing changes
   * when it throws.
   */
  reload(config: ReaderConfig): Promise<ReloadResult>;
  /** Ends after the request in progress; nothing acknowledged is lost. */
  close(): Promise<void>;
}

interface Running {
  readonly worker: EntryWorker;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

/**
 * Starts reading. Throws ReaderListenError when the address is taken, ReaderConfigError for an unusable adapter,
 * DirectoryInUseError when another reader uses the state or the cursors.
 */
export async function startReader(options: ReaderOptions): Promise<RunningReader> {
  const { config, log } = options;
  const locks = await lockDirectories(options);
  const held: { close(): void }[] = locks.map(({ release }) => ({ close: release }));
  const running = new Map<string, Running>();
  try {
    const store = openStateStore(options.stateDir);
    held.unshift(store);
    for (const warning of config.warnings) log.warn({}, warning);
    const ports = portsOf(options, store);
    const readings = await openReadings(config.entries, options, ports.limits);
    const rest = await listen(options, () => [...running.values()].map(({ worker }) => worker), store);
    for (const reading of readings) running.set(reading.entry.key, startWorker(reading, options, ports));
    return runningReader(options, ports, running, rest, () => closeAll(held));
  } catch (error) {
    closeAll(held);
    throw error;
  }
}

function closeAll(held: readonly { close(): void }[]): void {
  for (const one of held) one.close();
}

/** The state's directory, and that of the cursors where cursors are written. */
async function lockDirectories({ config, mode, stateDir }: ReaderOptions): Promise<readonly DirectoryLock[]> {
  const state = await lockDirectory(stateDir, "--state-dir");
  if (mode === "REST") return [state];
  try {
    return [state, await lockDirectory(config.blockNumbersDir, "--block-numbers-dir", 0o755)];
  } catch (error) {
    state.release();
    throw error;
  }
}

function runningReader(
  options: ReaderOptions,
  ports: Ports,
  running: Map<string, Running>,
  rest: RestServer | undefined,
  close: () => void,
): RunningReader {
  let changing: Promise<unknown> = Promise.resolve();
  return {
    url: rest?.url,
    status: () => [...running.values()].map(({ worker }) => worker.status()),
    reload(next) {
      const turn = changing.then(() => replaceEntries(next, options, ports, running));
      changing = turn.catch(() => {});
      return turn;
    },
    async close() {
      await changing;
      await rest?.close();
      await Promise.all([...running.keys()].map((key) => end(running, key)));
      close();
    },
  };
}

async function end(running: Map<string, Running>, key: string): Promise<void> {
  const old = running.get(key);
  running.delete(key);
  old?.stop.abort();
  await old?.ended;
}

/** Entries that stayed the same go on; one that had stopped begins again. */
async function replaceEntries(
  next: ReaderConfig,
  options: ReaderOptions,
  ports: Ports,
  running: Map<string, Running>,
): Promise<ReloadResult> {
  const goesOn = (entry: Entry) => {
    const worker = running.get(entry.key)?.worker;
    return worker?.entry.digest === entry.digest && worker.status().stopped === undefined;
  };
  const keys = new Set(next.entries.map((entry) => entry.key));
  const fresh = next.entries.filter((entry) => !goesOn(entry));
  const readings = await openReadings(fresh, options, ports.limits);
  const removed = [...running.keys()].filter((key) => !keys.has(key));
  const changed = fresh.filter((entry) => running.has(entry.key)).map((entry) => entry.key);
  for (const key of [...removed, ...changed]) await end(running, key);
  for (const reading of readings) running.set(reading.entry.key, startWorker(reading, options, ports));
  // In the list's order: a push without a chain means the first entry.
  for (const { key } of next.entries) {
    const worker = running.get(key);
    running.delete(key);
    if (worker !== undefined) running.set(key, worker);
  }
  for (const warning of next.warnings) options.log.warn({}, warning);
  return { added: fresh.map((entry) => entry.key).filter((key) => !changed.includes(key)), removed, changed };
}

function portsOf({ config, log }: ReaderOptions, store: StateStore): Ports {
  const limits = createCallLimits(READER_LIMITS);
  const submissions = createHttpSubmissions({ url: config.serviceUrl, token: config.serviceToken, limits });
  return { store, submissions, log, limits };
}

async function openReadings(
  entries: readonly Entry[],
  options: ReaderOptions,
  limits: CallLimits,
): Promise<readonly Reading[]> {
  const openAdapter = createAdapterOpener(options.modulesDir ?? process.cwd());
  return Promise.all(entries.map((entry) => openReading(entry, endpointsOf(entry, limits), openAdapter)));
}

function startWorker(reading: Reading, { config, mode }: ReaderOptions, ports: Ports): Running {
  const worker = workerOf(reading, config.blockNumbersDir, mode !== "REST", ports);
  const stop = new AbortController();
  return { worker, stop, ended: worker.run(stop.signal) };
}

interface Ports {
  readonly store: StateStore;
  readonly submissions: SubmissionPort;
  readonly log: Log;
  readonly limits: CallLimits;
}

function workerOf(reading: Reading, dir: string, follows: boolean, ports: Ports): EntryWorker {
  const createFollower = (o: FollowerOptions) => followerOf(reading, dir, o);
  const { store, submissions, log } = ports;
  const common = { store, submissions, log, now: steadyNow, random: Math.random };
  return createEntryWorker({ reading, createFollower, follows, ...common });
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
