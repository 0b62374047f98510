/** The batcher worker: closes batches as `closeBatch` decides. */
import { type BatchPolicy, closeBatch } from "./close-batch.ts";
import type { Clock, Log } from "./ports.ts";
import type { Store } from "./store.ts";

const IDLE_MS = 1_000;

/** One decision; rests until the next one can differ. */
export function batcherStep(o: {
  readonly store: Store;
  readonly policy: BatchPolicy;
  readonly clock: Clock;
  readonly log: Log;
  readonly onClosed: (number: number) => void;
}): () => Promise<{ readonly restMs: number }> {
  let isBehind = true;
  return async () => {
    // A store from a backup first learns which numbers the chain has.
    isBehind &&= (await o.store.setting("restored")) === "yes";
    if (isBehind) return { restMs: IDLE_MS };
    const pending = await o.store.pending(o.policy.batchSlots);
    const decision = closeBatch(pending, o.policy, o.clock());
    if (!decision.close) return { restMs: decision.waitMs ?? IDLE_MS };
    const slots = pending.slice(0, decision.take).map((slot) => slot.seq);
    const number = await o.store.closeBatch({ slots, bytes: decision.bytes }, o.clock());
    o.log.info({ batch: number, slots: slots.length, bytes: decision.bytes }, "batch closed");
    o.onClosed(number);
    return { restMs: 0 };
  };
}
