/**
 * Owns when the pending block is built anew: what a proposal made now would hold, executed by the native core for
 * readers. Not its content (the pool's selection) nor its form (the native core's).
 *
 *   none   --asked-->                                            built
 *   built  --asked, same head and pool, younger than a second--> built
 *   built  --asked otherwise-->                                  built anew, once for all who wait
 *
 * A block that takes time to build takes a quarter of one thread at most: who asks for a newer one waits for it.
 */
import type { Head, Native } from "@cairn/native";
import { type Address, type Hash, ZERO_ADDRESS } from "@cairn/primitives";
import { etherbaseAt } from "./etherbase.ts";
import type { PooledTx } from "./pooled-tx.ts";

/** What a pending block is made of. `clock` in milliseconds since 1970. */
export interface PendingBlockOptions {
  readonly native: Pick<Native, "buildPending" | "storage">;
  readonly head: () => Head;
  /** The pool's choice for the next block. */
  readonly selection: () => readonly PooledTx[];
  /** Changes whenever the pool does. */
  readonly poolVersion: () => number;
  /** Resolves when what was submitted so far is in the pool; `undefined` when it is. */
  readonly settled: () => Promise<void> | undefined;
  readonly clock: () => number;
  /** Resolves after so many milliseconds. */
  readonly pause: (ms: number) => Promise<unknown>;
}

/**
 * Builds the pending block unless a good one stands, and answers how reads name it. `proposer` is the 20-byte consensus
 * address whose etherbase would receive the fees; zero address without.
 */
export type BuildPending = (proposer?: Uint8Array) => Promise<"pending">;

/** The block's time must not fall behind. */
const MAX_AGE_MS = 1_000;
/** Blocks that build within this are built as often as asked for. */
const CHEAP_BUILD_MS = 5;
/** From the beginning of one dear build to that of the next, in times of its duration. */
const DEAR_BUILD_EVERY = 4;

interface Built {
  readonly parent: Hash;
  readonly version: number;
  readonly atMs: number;
  readonly buildMs: number;
}

function isFresh(built: Built | undefined, now: Pick<Built, "parent" | "version" | "atMs">): boolean {
  if (built === undefined || built.parent !== now.parent) return false;
  const ageMs = now.atMs - built.atMs;
  return built.version === now.version && ageMs < Math.max(MAX_AGE_MS, DEAR_BUILD_EVERY * built.buildMs);
}

/** Starts without a block. */
export function createPendingBlock(o: PendingBlockOptions): BuildPending {
  let built: Built | undefined;
  let building: Promise<void> | undefined;
  const stand = () => ({ parent: o.head().hash, version: o.poolVersion(), atMs: o.clock() });

  async function build(miner: Address): Promise<void> {
    const { atMs: beganMs = 0, buildMs: tookMs = 0 } = built ?? {};
    const earlyMs = tookMs > CHEAP_BUILD_MS ? beganMs + DEAR_BUILD_EVERY * tookMs - o.clock() : 0;
    if (earlyMs > 0) await o.pause(earlyMs);
    const { version, atMs } = stand();
    const head = o.head();
    const txs = o.selection().map((tx) => tx.raw);
    const timestamp = BigInt(Math.floor(atMs / 1000));
    const parent = await o.native.buildPending({ height: head.number + 1n, timestamp, miner, txs });
    built = { parent, version, atMs, buildMs: o.clock() - atMs };
  }

  return async (proposer) => {
    await o.settled();
    // The build someone else waits for may have begun before what this caller knows of; its own has not.
    for (let turn = 0; turn < 2 && !isFresh(built, stand()); turn++) {
      const miner = proposer === undefined ? ZERO_ADDRESS : etherbaseAt(o.native, proposer, o.head().number);
      building ??= build(miner).finally(() => {
        building = undefined;
      });
      await building;
    }
    return "pending";
  };
}
