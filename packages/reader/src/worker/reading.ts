/** What one entry reads: its blocks, and the items at a height or in a range, whatever the entry's kind. */
import { AbiMismatch } from "../abi/abi-decode.ts";
import type { BlockSource } from "../block-source.ts";
import type { CallLimits } from "../call-limits.ts";
import type { ContractEntry, Entry, RpcEntry, SdkEntry } from "../config/entry.ts";
import { createEndpoint } from "../endpoint.ts";
import { createEndpointPool, type EndpointPool } from "../endpoint-pool.ts";
import { createEventSource, type EventSource } from "../events/event-source.ts";
import { EVM } from "../families/evm.ts";
import { createFamilySource } from "../family-source.ts";
import type { ForeignBlock } from "../foreign-block.ts";
import { blockPlace, commitmentItem, type Found, proofItem } from "../items.ts";
import { fetchProof } from "../proof-fetch.ts";
import { steadyNow } from "../steady-clock.ts";

/** The blocks of an `rpc` or `sdk` entry. */
export interface BlockReading {
  readonly kind: "blocks";
  readonly entry: RpcEntry | SdkEntry;
  readonly source: BlockSource;
  readonly pool: EndpointPool;
  /** What is submitted for a block. */
  itemsOf(block: ForeignBlock, signal: AbortSignal): Promise<readonly Found[]>;
}

/** The events of a `contract` entry; `source` gives the blocks they stand in. */
export interface EventReading {
  readonly kind: "events";
  readonly entry: ContractEntry;
  readonly source: BlockSource;
  readonly pool: EndpointPool;
  readonly events: EventSource;
}

/** What an entry is read by. */
export type Reading = BlockReading | EventReading;

/** Opens the source of an `sdk` entry. */
export type OpenAdapter = (entry: SdkEntry, pool: EndpointPool) => Promise<BlockSource>;

/** The endpoints of an entry; `limits` are shared with the other entries. */
export function endpointsOf(entry: Entry, limits?: CallLimits): EndpointPool {
  const { auth, timeoutMs, maxBytes, crossCheck } = entry;
  const endpoints = entry.endpoints.map((url) => createEndpoint({ url, auth, timeoutMs, maxBytes, limits }));
  return createEndpointPool({ endpoints, crossCheck, now: steadyNow });
}

/** What an entry reads, over a pool of its endpoints. Nothing is asked yet. */
export async function openReading(entry: Entry, pool: EndpointPool, openAdapter: OpenAdapter): Promise<Reading> {
  const { finality } = entry;
  if (entry.kind === "contract") {
    const source = createFamilySource({ row: EVM, pool, finality, hashCheck: entry.hashCheck });
    return { kind: "events", entry, source, pool, events: createEventSource(entry, pool, source) };
  }
  const source =
    entry.kind === "sdk"
      ? await openAdapter(entry, pool)
      : createFamilySource({ row: entry.family, pool, finality, hashCheck: entry.hashCheck });
  return { kind: "blocks", entry, source, pool, itemsOf: (block, signal) => itemsOf(entry, block, pool, signal) };
}

async function itemsOf(
  entry: RpcEntry | SdkEntry,
  block: ForeignBlock,
  pool: EndpointPool,
  signal: AbortSignal,
): Promise<readonly Found[]> {
  const place = blockPlace(block);
  const own = commitmentItem(place, block.hash);
  if (entry.kind === "sdk" || entry.proof === undefined) return [own];
  const context = { height: block.height, hash: block.hash, arguments: {}, transactionHash: undefined };
  try {
    return [own, proofItem(place, await fetchProof(entry.proof, context, pool, signal))];
  } catch (error) {
    if (!(error instanceof AbiMismatch)) throw error;
    const { height, hash } = block;
    return [own, { kind: "undecodable", height, logIndex: -1, hash, detail: error.message }];
  }
}

/** Everything at one height; undefined where the chain skipped it. */
export async function readHeight(
  reading: Reading,
  height: bigint,
  signal: AbortSignal,
): Promise<readonly Found[] | undefined> {
  if (reading.kind === "events") {
    const found = await reading.events.read(height, height, signal);
    return found === "narrower" ? [] : found;
  }
  const block = await reading.source.block(height, signal);
  return block === undefined ? undefined : reading.itemsOf(block, signal);
}
