/** Owns the handlers of `debug` that list states. Listing is the native core's, the errors' texts geth's. */
import { type debugState, type Handlers, rpcError } from "@cairn/api";
import type { Chain, ChainReads } from "@cairn/chain";
import type { Hash } from "@cairn/primitives";
import { type BlockRef, stateBlock } from "./block-ref.ts";

type ExploreRequest = Parameters<ChainReads["explore"]>[0];
type Fault = Exclude<Awaited<ReturnType<ChainReads["explore"]>>, { readonly ok: true }>["code"];

const FIRST: Hash = `0x${"0".repeat(64)}`;
const MOST_ACCOUNTS = 256;
const MOST_ENTRIES = 100_000;

async function explored(chain: Chain, request: ExploreRequest, unknown: (code: Fault) => Error): Promise<string> {
  const outcome = await chain.reads.explore(request);
  if (outcome.ok) return outcome.json;
  throw outcome.code === "too-large" ? rpcError("listing-too-large", { most: MOST_ENTRIES }) : unknown(outcome.code);
}

const missingHeader = (): Error => rpcError("header-not-found", {});

interface Dumping {
  readonly start: Hash;
  readonly most: number;
  readonly code: boolean;
  readonly storage: boolean;
}

function dump(chain: Chain, block: BlockRef, dumping: Dumping): Promise<string> {
  return explored(chain, { kind: "dump", block, ...dumping }, missingHeader);
}

function blockHash(chain: Chain, block: BlockRef): Hash {
  const header: { readonly hash: Hash } | null = JSON.parse(chain.reads.headerJson(block) ?? "null");
  return header?.hash ?? FIRST;
}

/** Between two heights, or what the only one changed. */
function modified(chain: Chain, start: bigint, end: bigint | undefined): Promise<string> {
  if (end !== undefined && start >= end) throw rpcError("start-not-before-end", { start, end });
  if (end === undefined && start === 0n) throw rpcError("no-parent", {});
  const [from, to] = end === undefined ? [start - 1n, start] : [start, end];
  return explored(chain, { kind: "modified", from, to }, missingHeader);
}

function heightOf(chain: Chain, number: bigint, name: "start" | "end"): bigint {
  const shown = name === "start" ? number.toString(16) : number;
  if (number > chain.head().number) throw rpcError("range-block-not-found", { name, number: shown });
  return number;
}

function heightOfHash(chain: Chain, hash: Hash): bigint {
  const number = chain.reads.blockNumber(hash);
  if (number === undefined) throw rpcError("block-hash-not-found", { hash });
  return number;
}

/** The handlers of listings. */
export function debugStateHandlers(chain: Chain): Handlers<typeof debugState> {
  return {
    debug_dumpBlock: ([selector]) => {
      const block = chain.resolve(selector);
      if (block === undefined) throw rpcError("block-number-not-found", { number: selector });
      return dump(chain, block, { start: FIRST, most: MOST_ACCOUNTS, code: true, storage: true });
    },
    debug_accountRange: ([selector, start, most, withoutCode, withoutStorage]) =>
      dump(chain, stateBlock(chain, selector), { start, most, code: !withoutCode, storage: !withoutStorage }),
    debug_storageRangeAt: ([selector, txIndex, address, start, most]) => {
      const block = stateBlock(chain, selector);
      const hash = blockHash(chain, block);
      const isGenesis = chain.reads.blockNumber(hash) === 0n;
      return explored(chain, { kind: "storageRange", block, txIndex, address, start, most }, (code) => {
        if (code !== "unknown-transaction") return missingHeader();
        return isGenesis
          ? rpcError("no-genesis-transaction", {})
          : rpcError("transaction-index-out-of-range", { index: txIndex, hash });
      });
    },
    debug_getModifiedAccountsByNumber: ([start, end]) =>
      modified(chain, heightOf(chain, start, "start"), end === undefined ? undefined : heightOf(chain, end, "end")),
    debug_getModifiedAccountsByHash: ([start, end]) =>
      modified(chain, heightOfHash(chain, start), end === undefined ? undefined : heightOfHash(chain, end)),
    debug_preimage: ([hash]) => explored(chain, { kind: "preimage", hash }, () => rpcError("unknown-preimage", {})),
  };
}
