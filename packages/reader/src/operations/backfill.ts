/**
 * Reading a range of an entry's past: everything from one height to another is submitted, the cursor stays where it is.
 * Progress is durable: the same range begun again goes on where it was interrupted.
 */
import { EntryStopped } from "../block-source.ts";
import type { ReaderConfig } from "../config/config.ts";
import { EndpointError } from "../endpoint-error.ts";
import { lower } from "../foreign-block.ts";
import type { Found } from "../items.ts";
import type { Log } from "../log.ts";
import { openStateStore, type StateStore } from "../state/state-store.ts";
import { failed, waitMs } from "../worker/backoff.ts";
import { createDelivery, type Delivery, SubmissionDelayed } from "../worker/delivery.ts";
import { establishIdentity } from "../worker/identity-check.ts";
import { createPacer } from "../worker/pacer.ts";
import { endpointsOf, type OpenAdapter, openReading, type Reading, readHeight } from "../worker/reading.ts";
import { createHttpSubmissions } from "../worker/submission.ts";
import { findEntry } from "./find-entry.ts";
import { OperationError } from "./operation-error.ts";

/** How far a backfill is. */
export interface BackfillProgress {
  readonly from: bigint;
  readonly to: bigint;
  /** The next height. */
  readonly next: bigint;
  readonly submitted: number;
  /** Known before: submitted by the loop, by a push, or by an earlier run. */
  readonly known: number;
  readonly dead: number;
}

/** Which range of which entry. */
export interface BackfillOptions {
  readonly config: ReaderConfig;
  /** Name of an entry; `contract:` in front for a contract entry of a name used twice. */
  readonly entry: string;
  readonly from: bigint;
  readonly to: bigint;
  readonly stateDir: string;
  readonly openAdapter: OpenAdapter;
  readonly onProgress: (progress: BackfillProgress) => void;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** Failures in a row after which it ends; the progress stays. */
const PATIENCE = 8;
const ATTEMPTS_TO_DECODE = 3;

/** Reads the range. Throws OperationError: unknown entry, a range beyond the chain, an endpoint that stays silent. */
export async function backfill(options: BackfillOptions): Promise<BackfillProgress> {
  const { config, from, to, signal, log } = options;
  if (from < 0n || to < from) throw new OperationError("bad-range", "expected FROM up to TO");
  const entry = findEntry(config.entries, options.entry);
  const store = openStateStore(options.stateDir);
  try {
    const reading = await openReading(entry, endpointsOf(entry), options.openAdapter);
    await requireReady(reading, store, to, signal);
    const submissions = createHttpSubmissions({ url: config.serviceUrl, token: config.serviceToken });
    const delivery = createDelivery({ entry, store, submissions, log, now: Date.now });
    return await run(reading, delivery, store, options);
  } catch (error) {
    if (error instanceof EntryStopped) throw new OperationError("unavailable", error.message);
    throw error;
  } finally {
    store.close();
  }
}

/** The endpoints serve the entry's chain, and it has come as far as TO. */
async function requireReady(reading: Reading, store: StateStore, to: bigint, signal: AbortSignal): Promise<void> {
  const { source } = reading;
  try {
    await establishIdentity(reading, store, signal);
    const takeable = await source.takeable(await source.head(signal), signal);
    if (to > takeable) throw new OperationError("above-head", `the chain may be taken up to ${takeable}, TO is ${to}`);
  } catch (error) {
    if (error instanceof EndpointError) throw new OperationError("unavailable", error.message);
    if (error instanceof EntryStopped) throw new OperationError("other-chain", error.message);
    throw error;
  }
}

async function run(
  reading: Reading,
  delivery: Delivery,
  store: StateStore,
  { from, to, onProgress, signal }: BackfillOptions,
): Promise<BackfillProgress> {
  const { key, requestPauseMs } = reading.entry;
  const pacer = createPacer();
  let progress = { from, to, next: store.progress.backfill(key, from, to) ?? from, submitted: 0, known: 0, dead: 0 };
  let failures = 0;
  onProgress(progress);
  while (progress.next <= to) {
    signal.throwIfAborted();
    try {
      progress = await step(reading, delivery, progress, failures >= ATTEMPTS_TO_DECODE, signal);
      failures = 0;
      store.progress.setBackfill(key, from, to, progress.next);
      onProgress(progress);
      await pacer.wait(requestPauseMs, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof EndpointError || error instanceof SubmissionDelayed)) throw error;
      failures = failed({ failures }).failures;
      if (failures >= PATIENCE) throw new OperationError("unavailable", `${error.message}; run again to go on`);
      await pacer.wait(Math.max(waitMs({ failures }, Math.random()), error.retryAfterMs), signal);
    }
  }
  store.progress.endBackfill(key, from, to);
  return progress;
}

/** Takes the next height or window. */
async function step(
  reading: Reading,
  delivery: Delivery,
  progress: BackfillProgress,
  lastAttempt: boolean,
  signal: AbortSignal,
): Promise<BackfillProgress> {
  if (reading.kind === "events") {
    const end = lower(progress.to, progress.next + BigInt(reading.events.range()) - 1n);
    const found = await reading.events.read(progress.next, end, signal);
    return found === "narrower" ? progress : deliverAll(found, delivery, { ...progress, next: end + 1n }, signal);
  }
  const every = BigInt(reading.entry.every);
  const height = ((progress.next + every - 1n) / every) * every;
  if (height > progress.to) return { ...progress, next: progress.to + 1n };
  const after = { ...progress, next: height + 1n };
  try {
    return await deliverAll((await readHeight(reading, height, signal)) ?? [], delivery, after, signal);
  } catch (error) {
    if (!lastAttempt || !(error instanceof EndpointError) || error.code !== "undecodable") throw error;
    delivery.bury(height, error.message);
    return { ...after, dead: after.dead + 1 };
  }
}

async function deliverAll(
  found: readonly Found[],
  delivery: Delivery,
  progress: BackfillProgress,
  signal: AbortSignal,
): Promise<BackfillProgress> {
  let { submitted, known, dead } = progress;
  for (const one of found) {
    const delivered = await delivery.deliver(one, signal);
    if (delivered.outcome === "dead") dead += 1;
    else if (delivered.again) known += 1;
    else submitted += 1;
  }
  return { ...progress, submitted, known, dead };
}
