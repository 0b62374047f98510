/**
 * One entry's worker: pushed numbers first, then (in LOOP and BOTH) what follows the cursor. Errors are logged and the
 * loop goes on; only a wrong entry, a damaged cursor or a reorganisation deeper than the ring stops it.
 */
import { EntryStopped } from "../block-source.ts";
import type { Entry } from "../config/entry.ts";
import { EndpointError } from "../endpoint-error.ts";
import { lower } from "../foreign-block.ts";
import type { Found } from "../items.ts";
import type { Log } from "../log.ts";
import type { Push } from "../state/pushes.ts";
import type { StateStore } from "../state/state-store.ts";
import { type Backoff, CALM, failed, waitMs } from "./backoff.ts";
import { createDelivery, type Delivered } from "./delivery.ts";
import { type EntryStatus, initialStatus } from "./entry-status.ts";
import type { Follower, FollowerOptions } from "./follower.ts";
import { checkIdentity } from "./identity-check.ts";
import { createPacer } from "./pacer.ts";
import { type Reading, readHeight } from "./reading.ts";
import type { SubmissionPort } from "./submission.ts";

export interface EntryWorkerOptions {
  readonly reading: Reading;
  readonly store: StateStore;
  readonly createFollower: (options: FollowerOptions) => Follower;
  readonly submissions: SubmissionPort;
  /** Whether the worker follows the chain, or only serves pushes. */
  readonly follows: boolean;
  readonly log: Log;
  readonly now: () => number;
  readonly random: () => number;
}

export interface EntryWorker {
  readonly entry: Entry;
  status(): EntryStatus;
  /** The newest height, asked from the chain now. */
  head(signal: AbortSignal): Promise<bigint>;
  /** A push for this entry was stored. */
  wake(): void;
  /** Resolves when the worker has ended: aborted or stopped. */
  run(signal: AbortSignal): Promise<void>;
}

/** Attempts at an item that cannot be decoded, before it becomes a dead letter. */
const ATTEMPTS = 3;

/** A worker for one entry. */
export function createEntryWorker(options: EntryWorkerOptions): EntryWorker {
  const { reading, store, log, now } = options;
  const { entry, source } = reading;
  const pacer = createPacer();
  const plain = createDelivery({ entry, store, submissions: options.submissions, log, now });
  const follower = options.createFollower({ store, delivery: { ...plain, deliver } });
  let status = initialStatus(entry);
  let undecodable = 0;
  /** Head and what may be taken, as last asked. */
  let seen = { head: -1n, takeable: -1n, atMs: Number.NEGATIVE_INFINITY };
  const update = (change: Partial<EntryStatus>) => {
    status = { ...status, ...change };
  };

  async function deliver(found: Found, signal: AbortSignal): Promise<Delivered> {
    const delivered = await plain.deliver(found, signal);
    if (delivered.outcome === "submitted" && !delivered.again) update({ submitted: status.submitted + 1 });
    return delivered;
  }

  /** A node that lags is no error; it is asked again. */
  function note(error: unknown, failures: number): void {
    const message = error instanceof Error ? error.message : "unknown error";
    if (error instanceof EndpointError && error.code === "missing") {
      update({ lastError: message });
      log.debug({ chain: entry.name, kind: entry.kind, failures, reason: message }, "not there yet; trying again");
      return;
    }
    update({ errors: status.errors + 1, lastError: message });
    const about = { chain: entry.name, kind: entry.kind, failures, reason: message };
    log.warn(about, "reading failed; trying again");
  }

  async function servePush(push: Push, signal: AbortSignal): Promise<void> {
    const found = await readHeight(reading, push.height, signal);
    if (found === undefined) {
      store.pushes.update(push.id, { status: "dead", error: "the chain has no block at this height" });
      return;
    }
    let last: Delivered | undefined;
    for (const one of found) last = await deliver(one, signal);
    if (last === undefined) store.pushes.update(push.id, { status: "submitted", error: "no event in this block" });
    else if (last.outcome === "submitted") {
      store.pushes.update(push.id, { status: "submitted", submissionId: last.submissionId });
    } else store.pushes.update(push.id, { status: "dead", error: last.code });
  }

  /** Serves the lowest push that is due; false when there is none. A failing one waits and holds up nothing else. */
  async function pushStep(signal: AbortSignal): Promise<boolean> {
    store.pushes.sweep(entry.key, seen.head, now());
    const push = store.pushes.next(entry.key, seen.takeable, now());
    if (push === undefined) return false;
    try {
      await servePush(push, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof EntryStopped) throw error;
      const failures = push.attempts + 1;
      note(error, failures);
      const hopeless = error instanceof EndpointError && error.code === "undecodable" && failures >= ATTEMPTS;
      if (hopeless) {
        plain.bury(push.height, error.message);
        store.pushes.update(push.id, { status: "dead", error: "undecodable" });
      } else store.pushes.update(push.id, { failedUntilMs: now() + waitMs({ failures }, options.random()) });
    }
    return true;
  }

  async function look(signal: AbortSignal): Promise<void> {
    const head = await source.head(signal);
    const takeable = await source.takeable(head, signal);
    seen = { head, takeable: lower(takeable, head), atMs: now() };
    update({ head, takeable: seen.takeable, lastSuccessMs: now() });
  }

  /** While there is more to take, the head need not be asked before every step. */
  function mustLook(): boolean {
    if (now() - seen.atMs >= entry.pollMs) return true;
    return !options.follows || follower.next(seen.takeable) === undefined;
  }

  async function followStep(signal: AbortSignal): Promise<boolean> {
    update({ cursor: follower.cursor() });
    try {
      const outcome = await follower.step(seen.takeable, undecodable >= ATTEMPTS - 1, signal);
      undecodable = 0;
      if (outcome === "reorganised") {
        update({ reorgs: status.reorgs + 1 });
        const about = { chain: entry.name, kind: entry.kind, fork: `${follower.cursor()}` };
        log.warn(about, "reorganisation: submitting the replaced heights again");
      }
      return outcome !== "idle";
    } catch (error) {
      if (error instanceof EndpointError && error.code === "undecodable") undecodable += 1;
      throw error;
    } finally {
      const logRange = reading.kind === "events" ? reading.events.range() : undefined;
      update({ cursor: follower.cursor(), logRange });
    }
  }

  async function step(signal: AbortSignal): Promise<boolean> {
    if (mustLook()) await look(signal);
    if (await pushStep(signal)) return true;
    return options.follows && (await followStep(signal));
  }

  function stop(error: EntryStopped): void {
    update({ stopped: error.message, lastError: error.message });
    log.error({ chain: entry.name, kind: entry.kind, reason: error.message }, "entry stopped; the others go on");
  }

  async function run(signal: AbortSignal): Promise<void> {
    let backoff: Backoff = CALM;
    let checked = false;
    while (!signal.aborted) {
      try {
        if (!checked) checkIdentity(entry, await source.identity(signal), store);
        checked = true;
        const moved = await step(signal);
        backoff = CALM;
        update({ lastSuccessMs: now() });
        await pacer.wait(moved ? entry.requestPauseMs : entry.pollMs, signal);
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof EntryStopped) return stop(error);
        backoff = failed(backoff);
        note(error, backoff.failures);
        await pacer.wait(waitMs(backoff, options.random()), signal);
      }
    }
  }

  return { entry, status: () => status, head: (signal) => source.head(signal), wake: pacer.wake, run };
}
