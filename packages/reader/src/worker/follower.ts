/**
 * Following a chain from the cursor on: one step takes the next height (blocks) or the next window (events).
 *
 * Order of a step: submitted and acknowledged, then the ring, then the cursor file. A crash between them submits the
 * same content again, which has the same id.
 */
import type { Entry } from "../config/entry.ts";
import { EndpointError } from "../endpoint-error.ts";
import { type ForeignBlock, lower } from "../foreign-block.ts";
import type { Found } from "../items.ts";
import type { CursorFile, MerkleCursorFile } from "../state/cursor-file.ts";
import type { StateStore } from "../state/state-store.ts";
import type { Delivery } from "./delivery.ts";
import type { BlockReading, EventReading } from "./reading.ts";
import { findFork } from "./rewind.ts";

/** What a step came to. */
export type StepOutcome = "idle" | "moved" | "reorganised";

/** Takes what comes next of a chain. */
export interface Follower {
  /** The height a step would take next; undefined when it may not be taken yet. Throws EntryStopped. */
  next(takeable: bigint): bigint | undefined;
  /** Takes what comes next; on the last attempt what cannot be decoded becomes a dead letter. */
  step(takeable: bigint, lastAttempt: boolean, signal: AbortSignal): Promise<StepOutcome>;
  /** The height last processed. Throws EntryStopped on a damaged file. */
  cursor(): bigint | undefined;
}

/** What following needs beside the chain. */
export interface FollowerOptions {
  readonly store: StateStore;
  readonly delivery: Delivery;
}

function nextHeight(entry: Entry, cursor: CursorFile, takeable: bigint): bigint | undefined {
  const last = cursor.read();
  const wanted = last !== undefined ? last + 1n : entry.start === "head" ? takeable : entry.start;
  return wanted > takeable || wanted < 0n ? undefined : wanted;
}

/** Follows the blocks of an `rpc` or `sdk` entry. */
export function createBlockFollower(reading: BlockReading, cursor: CursorFile, o: FollowerOptions): Follower {
  const { entry, source } = reading;
  const { ring } = o.store;

  function next(takeable: bigint): bigint | undefined {
    const height = nextHeight(entry, cursor, takeable);
    return height === undefined || source.headOnly !== true ? height : takeable;
  }

  function fits(block: ForeignBlock): boolean {
    const { parentHash, parentHeight } = block;
    const known = parentHeight === undefined ? undefined : ring.taken(entry.key, parentHeight);
    return known === undefined || parentHash === undefined || known.hash === parentHash;
  }

  async function take(block: ForeignBlock, signal: AbortSignal): Promise<void> {
    const { height, hash } = block;
    const known = ring.taken(entry.key, height);
    if (known !== undefined && known.hash !== hash) ring.rewind(entry.key, height - 1n);
    const due = height % BigInt(entry.every) === 0n;
    for (const found of due ? await reading.itemsOf(block, signal) : []) await o.delivery.deliver(found, signal);
    ring.take(entry.key, { height, hash });
  }

  /** Undefined where the chain skipped the height, or it was given up. */
  async function blockAt(height: bigint, lastAttempt: boolean, signal: AbortSignal): Promise<ForeignBlock | undefined> {
    try {
      return await source.block(height, signal);
    } catch (error) {
      if (!lastAttempt || !(error instanceof EndpointError) || error.code !== "undecodable") throw error;
      o.delivery.bury(height, error.message);
      return undefined;
    }
  }

  return {
    next,
    cursor: () => cursor.read(),
    async step(takeable, lastAttempt, signal) {
      const height = next(takeable);
      if (height === undefined) return "idle";
      const block = await blockAt(height, lastAttempt, signal);
      if (block !== undefined && !fits(block)) {
        const fork = await findFork(entry.key, source, ring, height - 1n, signal);
        cursor.write(fork);
        ring.rewind(entry.key, fork);
        return "reorganised";
      }
      if (block !== undefined) await take(block, signal);
      cursor.write(height);
      return "moved";
    },
  };
}

/** Windows near the head stay short, so that the ring has places to walk back to. */
const NEAR_HEAD = 64n;
const SHORT_WINDOW = 16n;

/** Follows the events of a `contract` entry. */
export function createEventFollower(reading: EventReading, cursor: MerkleCursorFile, o: FollowerOptions): Follower {
  const { entry, source, events } = reading;
  const { ring } = o.store;

  async function reorganised(from: bigint, signal: AbortSignal): Promise<boolean> {
    const known = ring.taken(entry.key, from - 1n);
    if (known === undefined) return false;
    const block = await source.block(known.height, signal);
    if (block?.hash === known.hash) return false;
    const fork = await findFork(entry.key, source, ring, known.height, signal);
    cursor.write(fork);
    ring.rewind(entry.key, fork);
    return true;
  }

  async function deliver(found: Found, lastAttempt: boolean, signal: AbortSignal): Promise<void> {
    if (found.kind === "undecodable" && !lastAttempt) {
      throw new EndpointError("undecodable", `log ${found.logIndex} of block ${found.height}: ${found.detail}`);
    }
    const { outcome } = await o.delivery.deliver(found, signal);
    const isRoot = found.kind === "item" && !found.value.startsWith("proof:");
    if (isRoot && outcome === "submitted") cursor.writeRoot(found.value);
  }

  async function window(from: bigint, to: bigint, lastAttempt: boolean, signal: AbortSignal): Promise<void> {
    const before = await source.block(to, signal);
    const found = await events.read(from, to, signal);
    if (found === "narrower") return;
    // The same header before and after: the logs asked between them are of one fork.
    const after = await source.block(to, signal);
    if (before === undefined || after?.hash !== before.hash) {
      throw new EndpointError("disagreement", "the chain was reorganised while its logs were read");
    }
    for (const one of found) await deliver(one, lastAttempt, signal);
    ring.take(entry.key, { height: to, hash: before.hash });
    cursor.write(to);
  }

  return {
    next: (takeable) => nextHeight(entry, cursor, takeable),
    cursor: () => cursor.read(),
    async step(takeable, lastAttempt, signal) {
      const from = nextHeight(entry, cursor, takeable);
      if (from === undefined) return "idle";
      if (await reorganised(from, signal)) return "reorganised";
      await window(from, windowEnd(from, takeable, BigInt(events.range())), lastAttempt, signal);
      return "moved";
    },
  };
}

function windowEnd(from: bigint, takeable: bigint, range: bigint): bigint {
  const near = takeable - NEAR_HEAD;
  const most = from <= near ? near : from + SHORT_WINDOW - 1n;
  return lower(from + range - 1n, lower(most, takeable));
}
