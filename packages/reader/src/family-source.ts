/** A chain of a known family as a source of blocks, over the entry's endpoints. */
import { parseQuantity } from "@cairn/primitives";
import type { BlockSource, ChainIdentity } from "./block-source.ts";
import { EndpointError } from "./endpoint-error.ts";
import type { EndpointPool } from "./endpoint-pool.ts";
import { askBlock, askHeight, askValue } from "./families/ask.ts";
import type { FamilyRow, ValueRow } from "./families/family.ts";
import type { Finality } from "./finality.ts";
import { lower } from "./foreign-block.ts";

export interface FamilySourceOptions {
  readonly row: FamilyRow;
  readonly pool: EndpointPool;
  readonly finality: Finality;
  readonly hashCheck: boolean;
}

/** A source over a pool of endpoints. */
export function createFamilySource({ row, pool, finality, hashCheck }: FamilySourceOptions): BlockSource {
  /** An optional part of the identity: an endpoint may not serve it. */
  async function told(value: ValueRow | undefined, signal: AbortSignal): Promise<string | undefined> {
    if (value === undefined) return undefined;
    try {
      const found = await pool.first((endpoint) => askValue(endpoint, value, signal), signal);
      return typeof found === "string" || typeof found === "number" ? String(found) : undefined;
    } catch (error) {
      if (error instanceof EndpointError && REFUSALS.has(error.code)) return undefined;
      throw error;
    }
  }

  return {
    headOnly: row.headOnly ?? false,
    async identity(signal) {
      const { chainId, network, genesis } = row.identity;
      const id = chainId === undefined ? undefined : await pool.first((e) => askValue(e, chainId, signal), signal);
      return defined({
        chainId: id === undefined ? undefined : chainIdText(id),
        network: await told(network, signal),
        genesis: await told(genesis, signal),
      });
    },
    head: (signal) => pool.first((endpoint) => askHeight(endpoint, row.head, signal), signal),
    async takeable(head, signal) {
      if (finality.kind === "instant") return head;
      if (finality.kind === "depth") return head - BigInt(finality.confirmations);
      const tag = row.tags[finality.tag];
      if (tag === undefined) return -1n;
      return lower(await pool.first((endpoint) => askHeight(endpoint, tag, signal), signal), head);
    },
    block(height, signal) {
      const wanted = { row, height, hashCheck };
      return pool.agreed(
        (endpoint) => askBlock(endpoint, wanted, signal),
        (block) => block?.hash ?? "skipped",
        signal,
      );
    },
  };
}

const REFUSALS = new Set(["rpc-error", "http-status", "undecodable", "missing"]);

/** A chain id as decimal text; quantities and JSON numbers alike. */
function chainIdText(value: unknown): string {
  if (typeof value === "number" && Number.isSafeInteger(value)) return String(value);
  try {
    return parseQuantity(typeof value === "string" ? value : "").toString();
  } catch {
    throw new EndpointError("undecodable", "the chain id is no number");
  }
}

function defined(identity: { [K in keyof ChainIdentity]: string | undefined }): ChainIdentity {
  return Object.fromEntries(Object.entries(identity).filter(([, value]) => value !== undefined));
}
