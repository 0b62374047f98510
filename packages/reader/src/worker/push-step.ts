/** Serving pushed numbers: the lowest one that is due, each on its own time. Owns what becomes of a push. */
import { EntryStopped } from "../block-source.ts";
import { EndpointError } from "../endpoint-error.ts";
import type { Found } from "../items.ts";
import { publicReason } from "../public-reason.ts";
import type { Push } from "../state/pushes.ts";
import type { StateStore } from "../state/state-store.ts";
import { waitMs } from "./backoff.ts";
import { type Delivered, type Delivery, SubmissionDelayed } from "./delivery.ts";
import { type Reading, readHeight } from "./reading.ts";

/** What working off pushes needs. */
export interface PushStepOptions {
  readonly reading: Reading;
  readonly store: StateStore;
  readonly delivery: Delivery;
  /** Told of each failure, with how often this push has failed. */
  readonly note: (error: unknown, failures: number) => void;
  readonly now: () => number;
  readonly random: () => number;
}

/** Attempts at an item that cannot be decoded, before it becomes a dead letter. */
export const ATTEMPTS = 3;

/**
 * A function that serves the lowest push that is due; false when there is none. A failing one waits and holds up nothing
 * else. Throws SubmissionDelayed when the service takes nothing now, and EntryStopped.
 */
export function createPushStep(options: PushStepOptions) {
  const { reading, store, delivery, note, now } = options;
  const { key } = reading.entry;

  async function serve(push: Push, signal: AbortSignal): Promise<void> {
    const found = await readHeight(reading, push.height, signal);
    if (found === undefined) {
      store.pushes.update(push.id, { status: "dead", error: "the chain has no block at this height" });
      return;
    }
    const last = await deliverAll(found, signal);
    if (last === undefined) store.pushes.update(push.id, { status: "empty" });
    else if (last.outcome === "submitted") {
      store.pushes.update(push.id, { status: "submitted", submissionId: last.submissionId });
    } else store.pushes.update(push.id, { status: "dead", error: last.code });
  }

  async function deliverAll(found: readonly Found[], signal: AbortSignal): Promise<Delivered | undefined> {
    let last: Delivered | undefined;
    for (const one of found) last = await delivery.deliver(one, signal);
    return last;
  }

  function failed(push: Push, error: unknown): void {
    const message = publicReason(error);
    if (error instanceof SubmissionDelayed) {
      // The service refuses them all alike: the entry waits, and says why.
      store.pushes.update(push.id, { error: message });
      throw error;
    }
    const failures = push.attempts + 1;
    note(error, failures);
    if (error instanceof EndpointError && error.code === "undecodable" && failures >= ATTEMPTS) {
      delivery.bury(push.height, message);
      store.pushes.update(push.id, { status: "dead", error: "undecodable" });
      return;
    }
    const failedUntilMs = now() + waitMs({ failures }, options.random());
    store.pushes.update(push.id, { failedUntilMs, error: message });
  }

  return async (seen: { readonly head: bigint; readonly takeable: bigint }, signal: AbortSignal): Promise<boolean> => {
    store.pushes.sweep(key, seen.head, now());
    const push = store.pushes.next(key, seen.takeable, now());
    if (push === undefined) return false;
    try {
      await serve(push, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof EntryStopped) throw error;
      failed(push, error);
    }
    return true;
  };
}
