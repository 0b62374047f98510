/** What a worker needs of a chain that is read block by block, and its identity. Implemented by families and adapters. */
import type { ForeignBlock } from "./foreign-block.ts";

/** The entry is wrong for this chain, or damaged; retrying cannot help. The others go on. */
export class EntryStopped extends Error {
  constructor(message: string) {
    super(message);
    this.name = "EntryStopped";
  }
}

/** Which chain an endpoint serves, as far as it tells. */
export interface ChainIdentity {
  readonly chainId?: string;
  readonly network?: string;
  readonly genesis?: string;
}

/** What the reader needs of a chain. Calls throw EndpointError, or the signal's reason when aborted. */
export interface BlockSource {
  /** Which chain this is. */
  identity(signal: AbortSignal): Promise<ChainIdentity>;
  /** The newest height. */
  head(signal: AbortSignal): Promise<bigint>;
  /** The newest height that may be taken under the entry's finality rule, not above `head`; -1n when none. */
  takeable(head: bigint, signal: AbortSignal): Promise<bigint>;
  /** The block at a height at or below the head; undefined where the chain skipped that height. */
  block(height: bigint, signal: AbortSignal): Promise<ForeignBlock | undefined>;
  /** From now on an endpoint is used only once it was seen to serve this chain. */
  requireIdentity?(known: ChainIdentity): void;
  /** How often each endpoint (by host) contradicted two others, or served another chain. */
  dissents?(): ReadonlyMap<string, number>;
  /** Only the newest block can be read. */
  readonly headOnly?: boolean;
}

/** The differences of two identities, of what both tell; empty when they may be the same chain. */
export function identityDifferences(known: ChainIdentity, found: ChainIdentity): readonly string[] {
  const keys = ["chainId", "network", "genesis"] as const;
  return keys.flatMap((key) => {
    const [a, b] = [known[key], found[key]];
    return a === undefined || b === undefined || a.toLowerCase() === b.toLowerCase()
      ? []
      : [`${NAMES[key]} ${b.slice(0, 80)} in place of ${a}`];
  });
}

const NAMES = { chainId: "chain id", network: "network", genesis: "first block" };
