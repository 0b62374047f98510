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
import { publicReason } from "../public-reason.ts";
import type { StateStore } from "../state/state-store.ts";
import { type Backoff, CALM, failed, waitMs } from "./backoff.ts";
import { createDelivery, type Delivered, SubmissionDelayed } from "./delivery.ts";
import { type EntryStatus, initialStatus } from "./entry-status.ts";
import type { Follower, FollowerOptions } from "./follower.ts";
import { establishIdentity } from "./identity-check.ts";
import { createPacer } from "./pacer.ts";
import { ATTEMPTS, createPushStep } from "./push-step.ts";
import type { Reading } from "./reading.ts";
import type { SubmissionPort } from "./submission.ts";

/** What the worker of an entry works with. */
export interface EntryWorkerOptions {
  readonly reading: Reading;
  readonly store: StateStore;
  readonly createFollower: (options: FollowerOptions) => Follower;
  readonly submissions: SubmissionPort;
  /** Whether the worker follows the chain, or only serves pushes. */
  readonly follows: boolean;
  readonly log: Log;
  /** For waits; must not jump. */
  readonly now: () => number;
  readonly random: () => number;
}

/** The worker of one entry: its pushes and, where it follows, the chain. */
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

/** Nodes behind a balancer differ by a few blocks; more is worth a word. */
const FAR_BEHIND = 16n;

/** A worker for one entry. */
export function createEntryWorker(options: EntryWorkerOptions): EntryWorker {
  const { reading, store, log, now } = options;
  const { entry, source } = reading;
  const pacer = createPacer();
  const plain = createDelivery({ entry, store, submissions: options.submissions, log, now: Date.now });
  const delivery = { ...plain, deliver };
  const follower = options.createFollower({ store, delivery });
  const pushStep = createPushStep({ reading, store, delivery, note, now, random: options.random });
  let status = initialStatus(entry);
  let undecodable = 0;
  /** Head and what may be taken, as last asked; whether the head was far below the cursor. */
  let seen = { head: -1n, takeable: -1n, atMs: Number.NEGATIVE_INFINITY, isBehind: false };
  const update = (change: Partial<EntryStatus>) => {
    const lastErrorMs = change.lastError === undefined ? status.lastErrorMs : Date.now();
    status = { ...status, ...change, lastErrorMs };
  };

  async function deliver(found: Found, signal: AbortSignal): Promise<Delivered> {
    const delivered = await plain.deliver(found, signal);
    if (delivered.outcome === "submitted" && !delivered.again) update({ submitted: status.submitted + 1 });
    return delivered;
  }

  /** A node that lags is no error; it is asked again. */
  function note(error: unknown, failures: number): void {
    const message = textOf(error);
    if (error instanceof EndpointError && error.code === "missing") {
      update({ lastError: message });
      log.debug({ chain: entry.name, kind: entry.kind, failures, reason: message }, "not there yet; trying again");
      return;
    }
    update({ errors: status.errors + 1, lastError: publicReason(error) });
    const about = { chain: entry.name, kind: entry.kind, failures, reason: message };
    const refused = error instanceof SubmissionDelayed;
    log.warn(about, refused ? "the service did not take a submission; trying again" : "reading failed; trying again");
  }

  async function look(signal: AbortSignal): Promise<void> {
    const head = await source.head(signal);
    const takeable = await source.takeable(head, signal);
    update({ head, takeable: lower(takeable, head), lastSuccessMs: Date.now() });
    seen = { head, takeable: lower(takeable, head), atMs: now(), isBehind: noteBehind(head) };
  }

  /** A head below the cursor: a node that lags a little, or a chain that began anew. */
  function noteBehind(head: bigint): boolean {
    const { cursor } = status;
    const gap = cursor === undefined ? 0n : cursor - head;
    if (gap > FAR_BEHIND && !seen.isBehind) {
      const reason = `the chain's newest height ${head} is below the cursor ${cursor}: was it reset, or does the node lag?`;
      update({ lastError: reason });
      log.warn({ chain: entry.name, kind: entry.kind, reason }, "nothing to read");
    }
    return gap > FAR_BEHIND;
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

  /** An endpoint that contradicts the others is named: at first, and each time its count has doubled. */
  function noteDissents(): void {
    const counts = source.dissents?.() ?? status.dissents;
    for (const [endpoint, count] of counts) {
      const before = status.dissents.get(endpoint) ?? 0;
      if (Math.trunc(Math.log2(count)) === Math.trunc(Math.log2(before))) continue;
      const about = { chain: entry.name, kind: entry.kind, endpoint, times: count };
      log.warn(about, "an endpoint contradicts the others, or serves another chain; it was not believed");
    }
    update({ dissents: new Map(counts) });
  }

  async function step(signal: AbortSignal): Promise<boolean> {
    if (mustLook()) await look(signal);
    if (await pushStep(seen, signal)) return true;
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
        if (!checked) await establishIdentity(reading, store, signal);
        checked = true;
        const moved = await step(signal);
        backoff = CALM;
        noteDissents();
        update({ lastSuccessMs: Date.now() });
        await pacer.wait(moved ? entry.requestPauseMs : entry.pollMs, signal);
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof EntryStopped) return stop(error);
        backoff = failed(backoff);
        note(error, backoff.failures);
        noteDissents();
        await pacer.wait(Math.max(waitMs(backoff, options.random()), restOf(error)), signal);
      }
    }
  }

  return { entry, status: () => status, head: (signal) => source.head(signal), wake: pacer.wake, run };
}

/** How long the other side asks to be left alone, in ms. */
function restOf(error: unknown): number {
  return error instanceof EndpointError || error instanceof SubmissionDelayed ? error.retryAfterMs : 0;
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : "unknown error";
}
