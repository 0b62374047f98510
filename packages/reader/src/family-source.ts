/** A chain of a known family as a source of blocks, over the entry's endpoints. */
import { type BlockSource, identityDifferences } from "./block-source.ts";
import { EndpointError } from "./endpoint-error.ts";
import type { EndpointPool } from "./endpoint-pool.ts";
import { askBlock, askHeight } from "./families/ask.ts";
import { askIdentity } from "./families/ask-identity.ts";
import type { FamilyRow } from "./families/family.ts";
import type { Finality } from "./finality.ts";
import { type ForeignBlock, lower } from "./foreign-block.ts";

/** A chain of a family and its endpoints. */
export interface FamilySourceOptions {
  readonly row: FamilyRow;
  readonly pool: EndpointPool;
  readonly finality: Finality;
  readonly hashCheck: boolean;
}

const SAME_BLOCK = { digest: (block: ForeignBlock | undefined) => block?.hash ?? "skipped" };

/** A source over a pool of endpoints. */
export function createFamilySource({ row, pool, finality, hashCheck }: FamilySourceOptions): BlockSource {
  return {
    headOnly: row.headOnly ?? false,
    identity: (signal) => pool.first((endpoint) => askIdentity(endpoint, row, signal), signal),
    requireIdentity(known) {
      pool.admitBy(async (endpoint, signal) => {
        const differences = identityDifferences(known, await askIdentity(endpoint, row, signal));
        if (differences.length === 0) return;
        throw new EndpointError("other-chain", `${endpoint.host} serves another chain: ${differences.join(", ")}`);
      });
    },
    dissents: pool.dissents,
    head: (signal) => pool.reached((endpoint) => askHeight(endpoint, row.head, signal), signal),
    async takeable(head, signal) {
      if (finality.kind === "instant") return head;
      if (finality.kind === "depth") return head - BigInt(finality.confirmations);
      const tag = row.tags[finality.tag];
      if (tag === undefined) return -1n;
      return lower(await pool.reached((endpoint) => askHeight(endpoint, tag, signal), signal), head);
    },
    block(height, signal) {
      const wanted = { row, height, hashCheck };
      return pool.agreed((endpoint) => askBlock(endpoint, wanted, signal), SAME_BLOCK, signal);
    },
  };
}
