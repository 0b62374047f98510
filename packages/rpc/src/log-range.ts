/** Owns the block range of log queries and filters: defaults, tags, bounds, and geth's errors for wrong ones. */
import { type BlockTag, type LogFilterParam, rpcError } from "@cairn/api";
import type { Chain, LogCriteria } from "@cairn/chain";

type Bound = BlockTag | bigint | undefined;

/** Both ends of a query, resolved. */
export interface LogRange {
  readonly fromBlock: bigint;
  readonly toBlock: bigint;
}

function refusePending(from: Bound, to: Bound): void {
  if (from === "pending" || to === "pending") throw rpcError("pending-logs", {});
}

function ofHash(chain: Chain, hash: `0x${string}`): LogRange {
  const number = chain.reads.blockNumber(hash);
  if (number === undefined) throw rpcError("unknown-block", {});
  return { fromBlock: number, toBlock: number };
}

/** The range of a query. Throws `RpcError` when it is reversed, ends above the head or is of the pending block. */
export function queryRange(chain: Chain, filter: LogFilterParam): LogRange {
  if (filter.blockHash !== undefined) return ofHash(chain, filter.blockHash);
  refusePending(filter.fromBlock, filter.toBlock);
  const head = chain.head().number;
  const resolve = (bound: Bound): bigint => (typeof bound === "bigint" ? bound : bound === "earliest" ? 0n : head);
  const range = { fromBlock: resolve(filter.fromBlock), toBlock: resolve(filter.toBlock) };
  if (range.toBlock > head) throw rpcError("range-beyond-head", {});
  if (range.fromBlock > range.toBlock) throw rpcError("invalid-block-range", {});
  return range;
}

/** What an installed filter or subscription watches; open ends stay open. */
export function watchCriteria(chain: Chain, filter: LogFilterParam): LogCriteria {
  const { addresses, topics } = filter;
  if (filter.blockHash !== undefined) return { ...ofHash(chain, filter.blockHash), addresses, topics };
  refusePending(filter.fromBlock, filter.toBlock);
  const resolve = (bound: Bound): bigint | undefined =>
    typeof bound === "bigint" ? bound : bound === "earliest" ? 0n : undefined;
  const fromBlock = resolve(filter.fromBlock);
  const toBlock = resolve(filter.toBlock);
  if (fromBlock !== undefined && toBlock !== undefined && fromBlock > toBlock) {
    throw rpcError("invalid-block-range", {});
  }
  return {
    ...(fromBlock === undefined ? {} : { fromBlock }),
    ...(toBlock === undefined ? {} : { toBlock }),
    addresses,
    topics,
  };
}

/** The committed part of what a filter watches, for `eth_getFilterLogs`; `undefined` when none is committed yet. */
export function committedRange(chain: Chain, criteria: LogCriteria): LogRange | undefined {
  const head = chain.head().number;
  const fromBlock = criteria.fromBlock ?? head;
  const toBlock = criteria.toBlock === undefined || criteria.toBlock > head ? head : criteria.toBlock;
  return fromBlock > toBlock ? undefined : { fromBlock, toBlock };
}
