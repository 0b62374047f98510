/** Walking back to where the chain and the ring of recent hashes still agree. */
import { type BlockSource, EntryStopped } from "../block-source.ts";
import { RING_LENGTH, type Ring } from "../state/ring.ts";

/**
 * The last height on which both agree; one below the first block ever taken when all of them were replaced. Throws
 * EntryStopped when the fork lies deeper than the ring.
 */
export async function findFork(
  chain: string,
  source: BlockSource,
  ring: Ring,
  from: bigint,
  signal: AbortSignal,
): Promise<bigint> {
  let lowest = from;
  for (let known = ring.lastTaken(chain, from); known !== undefined; known = ring.lastTaken(chain, lowest - 1n)) {
    lowest = known.height;
    const block = await source.block(known.height, signal);
    if (block?.hash === known.hash) return known.height;
  }
  if (lowest > 0n && ring.count(chain) < RING_LENGTH) return lowest - 1n;
  throw new EntryStopped(
    `the chain was reorganised deeper than the ${RING_LENGTH} blocks kept: check the endpoint; to follow the new fork, ` +
      "write a height below it into the entry's file in block_numbers and send SIGHUP",
  );
}
