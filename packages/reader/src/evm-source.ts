/** Blocks of one EVM chain, from the first endpoint that answers, cross-checked with a second where there is one. */
import { parseQuantity } from "@cairn/primitives";
import { callEndpoint, EndpointError } from "./endpoint.ts";
import type { Finality, RpcEntry } from "./entry.ts";
import { decodeEvmBlock, type ForeignBlock } from "./evm-block.ts";

/** The entry is wrong for this chain (chain id); retrying cannot help. */
export class EntryStopped extends Error {
  constructor(message: string) {
    super(message);
    this.name = "EntryStopped";
  }
}

/** What the reader needs of a chain. */
export interface BlockSource {
  /** Compares the chain behind the URL with the entry. Throws EntryStopped on another chain. */
  check(signal: AbortSignal): Promise<void>;
  /** The newest height. */
  head(signal: AbortSignal): Promise<bigint>;
  /** The newest height that may be taken under the entry's finality rule; -1n when none. */
  takeable(head: bigint, signal: AbortSignal): Promise<bigint>;
  /** The block at a height at or below the head. A node that does not have it counts as failing. */
  block(height: bigint, signal: AbortSignal): Promise<ForeignBlock>;
}

/** A source over the entry's endpoints. */
export function createEvmSource(entry: RpcEntry): BlockSource {
  const endpoints = entry.endpoints.map((url) => ({ url, auth: entry.auth }));
  let preferred = 0;

  /** Tries every endpoint once, beginning with the one that last answered. */
  async function firstOf<T>(work: (index: number) => Promise<T>, signal: AbortSignal): Promise<T> {
    let failure: unknown;
    for (let i = 0; i < endpoints.length; i += 1) {
      const index = (preferred + i) % endpoints.length;
      try {
        const value = await work(index);
        preferred = index;
        return value;
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof EndpointError)) throw error;
        failure = error;
      }
    }
    throw failure;
  }

  async function call(index: number, method: string, params: readonly unknown[], signal: AbortSignal) {
    const endpoint = endpoints[index];
    if (endpoint === undefined) throw new EndpointError("unreachable", "no endpoint");
    return callEndpoint(endpoint, method, params, signal);
  }

  async function blockFrom(index: number, height: bigint, signal: AbortSignal): Promise<ForeignBlock> {
    const value = await call(index, entry.method, [`0x${height.toString(16)}`, false], signal);
    if (value === null) throw new EndpointError("unexpected-shape", `the node lags: it has no block ${height} yet`);
    return decodeEvmBlock(value, height);
  }

  async function crossCheck(block: ForeignBlock, signal: AbortSignal): Promise<void> {
    if (endpoints.length < 2) return;
    const second = (preferred + 1) % endpoints.length;
    const other = await blockFrom(second, block.height, signal);
    if (other.hash !== block.hash) {
      throw new EndpointError("unexpected-shape", `endpoints disagree about block ${block.height}`);
    }
  }

  return {
    async check(signal) {
      const id = await firstOf((index) => call(index, "eth_chainId", [], signal), signal);
      if (quantity(id) !== BigInt(entry.chainId)) {
        throw new EntryStopped(`the endpoint serves chain ${quantity(id)}, the entry names ${entry.chainId}`);
      }
    },
    async head(signal) {
      return quantity(await firstOf((index) => call(index, "eth_blockNumber", [], signal), signal));
    },
    async takeable(head, signal) {
      return takeableHeight(entry.finality, head, async (tag) => {
        const block = await firstOf((index) => call(index, entry.method, [tag, false], signal), signal);
        return block === null ? -1n : quantity((block as { readonly number?: unknown }).number);
      });
    },
    async block(height, signal) {
      const block = await firstOf((index) => blockFrom(index, height, signal), signal);
      await crossCheck(block, signal);
      return block;
    },
  };
}

async function takeableHeight(
  finality: Finality,
  head: bigint,
  ofTag: (tag: "finalized" | "safe") => Promise<bigint>,
): Promise<bigint> {
  if (finality.kind === "tag") return ofTag(finality.tag);
  return finality.kind === "instant" ? head : head - BigInt(finality.confirmations);
}

function quantity(value: unknown): bigint {
  try {
    return parseQuantity(typeof value === "string" ? value : "");
  } catch {
    throw new EndpointError("unexpected-shape", "expected a quantity");
  }
}
