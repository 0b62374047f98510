/**
 * Owns Otterscan's search of transactions by account: pages of whole blocks, newest first. The index is the native
 * core's.
 */
import { rpcError } from "@cairn/api";
import type { Chain } from "@cairn/chain";
import type { Address, Hash } from "@cairn/primitives";

const MAX_PAGE = 1_000;

/** Which page: before or after a block, 0 for the end where the direction begins. */
export interface Search {
  readonly address: Address;
  readonly block: bigint;
  readonly pageSize: bigint;
  readonly direction: "before" | "after";
}

interface Found {
  readonly hashes: readonly Hash[];
  readonly more: boolean;
}

function rangeOf({ block, direction }: Search, head: bigint): readonly [from: bigint, to: bigint] {
  if (direction === "before") return [0n, block === 0n ? head : block - 1n];
  return [block === 0n ? 0n : block + 1n, head];
}

async function find(chain: Chain, search: Search): Promise<Found> {
  const [from, to] = rangeOf(search, chain.head().number);
  const least = Math.max(1, Math.min(Number(search.pageSize), MAX_PAGE));
  const backwards = search.direction === "before";
  const { address } = search;
  const outcome = await chain.reads.explore({ kind: "touching", address, from, to, backwards, least });
  if (!outcome.ok) throw rpcError("header-not-found", {});
  return JSON.parse(outcome.json);
}

/** Receipts without logs and with their blocks' times, as the explorer lists them. */
function listedReceipts(chain: Chain, hashes: readonly Hash[]): readonly object[] {
  const times = new Map<string, string>();
  const timeOf = (number: string): string => {
    const known = times.get(number);
    if (known !== undefined) return known;
    const header: { readonly timestamp: string } = JSON.parse(chain.reads.headerJson(BigInt(number)) ?? "{}");
    times.set(number, header.timestamp);
    return header.timestamp;
  };
  return hashes.map((hash) => {
    const receipt: { readonly blockNumber: string } = JSON.parse(chain.reads.receiptJson(hash) ?? "{}");
    return { ...receipt, logs: null, logsBloom: null, timestamp: timeOf(receipt.blockNumber) };
  });
}

/** JSON text of the page. */
export async function searchTransactions(chain: Chain, search: Search): Promise<string> {
  const { hashes, more } = await find(chain, search);
  const isBefore = search.direction === "before";
  const newestFirst = isBefore ? hashes : hashes.toReversed();
  const isAtEnd = search.block === 0n;
  const txs = newestFirst.map((hash) => chain.reads.transactionJson(hash));
  const receipts = JSON.stringify(listedReceipts(chain, newestFirst));
  const [firstPage, lastPage] = isBefore ? [isAtEnd, !more] : [!more, isAtEnd];
  return `{"txs":[${txs.join(",")}],"receipts":${receipts},"firstPage":${firstPage},"lastPage":${lastPage}}`;
}
