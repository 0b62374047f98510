/**
 * One entry's worker: pushed numbers first, then (in LOOP and BOTH) the next number after the cursor. Errors are
 * logged and the loop goes on; only a wrong entry, a damaged cursor or a reorganisation deeper than the ring stops it.
 *
 * Order per block: submitted and acknowledged, then the ring, then the cursor file. A crash between them submits the
 * same content again, which has the same id.
 */
import { type Backoff, CALM, failed, waitMs } from "./backoff.ts";
import type { CursorFile } from "./cursor-file.ts";
import type { RpcEntry } from "./entry.ts";
import { type EntryStatus, initialStatus } from "./entry-status.ts";
import type { ForeignBlock } from "./evm-block.ts";
import { type BlockSource, EntryStopped } from "./evm-source.ts";
import type { Log } from "./log.ts";
import { createPacer } from "./pacer.ts";
import { type Push, RING_LENGTH, type StateStore } from "./state-store.ts";
import type { SubmissionPort } from "./submission.ts";

export interface EntryWorkerOptions {
  readonly entry: RpcEntry;
  readonly source: BlockSource;
  readonly store: StateStore;
  readonly cursor: CursorFile;
  readonly submissions: SubmissionPort;
  /** Whether the worker follows the chain, or only serves pushes. */
  readonly follows: boolean;
  readonly log: Log;
  readonly now: () => number;
  readonly random: () => number;
}

export interface EntryWorker {
  readonly entry: RpcEntry;
  status(): EntryStatus;
  /** The newest height, asked from the chain now. */
  head(signal: AbortSignal): Promise<bigint>;
  /** A push for this entry was stored. */
  wake(): void;
  /** Resolves when the worker has ended: aborted or stopped. */
  run(signal: AbortSignal): Promise<void>;
}

/** The service did not take a submission now. */
class SubmissionDelayed extends Error {}

/** A worker for one entry. */
export function createEntryWorker(options: EntryWorkerOptions): EntryWorker {
  const { entry, source, store, cursor, submissions, log } = options;
  const pacer = createPacer();
  let status = initialStatus(entry.name, entry.chainId);
  const update = (change: Partial<EntryStatus>) => {
    status = { ...status, ...change };
  };

  async function submit(
    block: ForeignBlock,
    reorgOf: string | undefined,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const answer = await submissions.submit({ entryName: entry.name, chainId: entry.submitAs, block, reorgOf }, signal);
    if (answer.ok) {
      update({ submitted: status.submitted + 1 });
      return answer.id;
    }
    if (answer.retry) throw new SubmissionDelayed(`the service did not take block ${block.height}: ${answer.code}`);
    store.addDeadLetter({
      chain: entry.name,
      height: block.height,
      hash: block.hash,
      code: answer.code,
      atMs: options.now(),
    });
    log.error({ chain: entry.name, height: `${block.height}`, code: answer.code }, "refused for good: dead letter");
    return undefined;
  }

  async function servePush(push: Push, signal: AbortSignal): Promise<void> {
    const block = await source.block(push.height, signal);
    const id = await submit(block, undefined, signal);
    store.updatePush(
      push.id,
      id === undefined ? { status: "dead", error: "refused" } : { status: "submitted", submissionId: id },
    );
  }

  /** Serves the lowest waiting push; false when there is none that can be served now. */
  async function pushStep(head: bigint, signal: AbortSignal): Promise<boolean> {
    const push = store.nextPush(entry.name);
    if (push === undefined) return false;
    if (push.expiresMs <= options.now()) {
      store.updatePush(push.id, { status: "expired" });
      return true;
    }
    if (push.height > head) {
      store.updatePush(push.id, { status: "waiting_for_head" });
      return false;
    }
    await servePush(push, signal);
    return true;
  }

  /** Moves the cursor back to the last height on which ring and chain agree. */
  async function rewind(from: bigint, signal: AbortSignal): Promise<void> {
    for (let height = from; ; height -= 1n) {
      const known = store.taken(entry.name, height);
      if (known === undefined) {
        throw new EntryStopped(
          `the chain was reorganised deeper than the ${RING_LENGTH} blocks kept; check the endpoint`,
        );
      }
      const block = await source.block(height, signal);
      if (block.hash !== known.hash) continue;
      log.warn({ chain: entry.name, fork: `${height}` }, "reorganisation: submitting the replaced heights again");
      cursor.write(height);
      update({ cursor: height });
      return;
    }
  }

  async function take(block: ForeignBlock, signal: AbortSignal): Promise<void> {
    const replaced = store.taken(entry.name, block.height);
    const reorgOf = replaced !== undefined && replaced.hash !== block.hash ? replaced.submissionId : undefined;
    const due = block.height % BigInt(entry.every) === 0n;
    const submissionId = due ? await submit(block, reorgOf, signal) : undefined;
    store.take(entry.name, { height: block.height, hash: block.hash, submissionId });
    cursor.write(block.height);
    update({ cursor: block.height });
  }

  /** Takes the block after the cursor; false when it may not be taken yet. */
  async function followStep(head: bigint, signal: AbortSignal): Promise<boolean> {
    const takeable = await source.takeable(head, signal);
    const last = cursor.read();
    update({ cursor: last });
    const next = last !== undefined ? last + 1n : entry.start === "head" ? takeable : entry.start;
    if (next > takeable || next < 0n) return false;
    const block = await source.block(next, signal);
    const parent = store.taken(entry.name, next - 1n);
    if (parent !== undefined && parent.hash !== block.parentHash) await rewind(next - 1n, signal);
    else await take(block, signal);
    return true;
  }

  async function step(signal: AbortSignal): Promise<boolean> {
    const head = await source.head(signal);
    update({ head });
    if (await pushStep(head, signal)) return true;
    return options.follows && (await followStep(head, signal));
  }

  function note(error: unknown, backoff: Backoff): void {
    const message = error instanceof Error ? error.message : "unknown error";
    update({ errors: status.errors + 1, lastError: message });
    log.warn({ chain: entry.name, failures: backoff.failures, reason: message }, "reading failed; trying again");
  }

  async function run(signal: AbortSignal): Promise<void> {
    let backoff = CALM;
    let checked = false;
    while (!signal.aborted) {
      try {
        if (!checked) await source.check(signal);
        checked = true;
        const moved = await step(signal);
        backoff = CALM;
        await pacer.wait(moved ? entry.requestPauseMs : entry.pollMs, signal);
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof EntryStopped) {
          update({ stopped: error.message, lastError: error.message });
          log.error({ chain: entry.name, reason: error.message }, "entry stopped; the others go on");
          return;
        }
        backoff = failed(backoff);
        note(error, backoff);
        await pacer.wait(waitMs(backoff, options.random()), signal);
      }
    }
  }

  return { entry, status: () => status, head: (signal) => source.head(signal), wake: pacer.wake, run };
}
