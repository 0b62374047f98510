/**
 * Owns how many slow reads run at once. They share Node's thread pool, first come first served, with execution, commit
 * and the signer's files: without lanes a few batches of costly calls would stop the chain until all of them are done.
 */
import { rpcError } from "@cairn/api";
import type { Chain, ChainReads } from "@cairn/chain";

/** Bounds of one lane. */
export interface LaneLimits {
  /** Reads running at once. */
  readonly width: number;
  /** Reads waiting; more are refused. */
  readonly maxWaiting: number;
  /** A read that waited longer is refused instead of run: its client is about to give up. */
  readonly maxWaitMs: number;
}

/** Runs work in the order it came, a bounded amount at once; rejects with `RpcError` what cannot be served. */
export type Lane = <T>(work: () => Promise<T>) => Promise<T>;

interface Waiting {
  readonly sinceMs: number;
  readonly start: () => void;
  readonly refuse: () => void;
}

/** A lane. `clock` in milliseconds. */
export function createLane({ width, maxWaiting, maxWaitMs }: LaneLimits, clock = () => performance.now()): Lane {
  let running = 0;
  // A set keeps the order and forgets its first entry in constant time.
  const waiting = new Set<Waiting>();

  function startNext(): void {
    for (const entry of waiting) {
      if (running >= width) return;
      waiting.delete(entry);
      if (clock() - entry.sinceMs > maxWaitMs) entry.refuse();
      else entry.start();
    }
  }

  return (work) => {
    if (waiting.size >= maxWaiting) return Promise.reject(rpcError("busy", {}));
    return new Promise((resolve, reject) => {
      const start = (): void => {
        running += 1;
        work()
          .finally(() => {
            running -= 1;
            startNext();
          })
          .then(resolve, reject);
      };
      waiting.add({ sinceMs: clock(), start, refuse: () => reject(rpcError("busy", {})) });
      startNext();
    });
  };
}

const WAITING = { maxWaiting: 2_000, maxWaitMs: 15_000 };

/** Threads of Node's pool, as libuv reads it. */
const THREADS = Math.max(1, Number(process.env.UV_THREADPOOL_SIZE) || 4);

/** What was answered on this thread needs no lane: crossing to another one would cost more than it did. */
function smallOr<T>(small: T | undefined, otherwise: () => Promise<T>): Promise<T> {
  return small === undefined ? otherwise() : Promise.resolve(small);
}

/**
 * The chain with its slow reads in lanes: what a client makes arbitrarily costly takes half of the threads at most,
 * traces a quarter, blocks and receipts a quarter, so that they answer under a flood of calls. The rest is the consensus'.
 */
export function withReadLanes(chain: Chain): Chain {
  const { reads } = chain;
  const costly = createLane({ ...WAITING, width: Math.max(1, THREADS >> 1) });
  const blocks = createLane({ ...WAITING, width: Math.max(1, THREADS >> 2) });
  const traces = createLane({ ...WAITING, width: Math.max(1, THREADS >> 2) });
  const laned: ChainReads = {
    ...reads,
    trace: (request) => traces(() => reads.trace(request)),
    call: (request) => smallOr(reads.callSmall(request), () => costly(() => reads.call(request))),
    estimateGas: (request) => smallOr(reads.estimateSmall(request), () => costly(() => reads.estimateGas(request))),
    createAccessList: (request) => costly(() => reads.createAccessList(request)),
    callMany: (request) => costly(() => reads.callMany(request)),
    explore: (request) => costly(() => reads.explore(request)),
    simulate: (request) => costly(() => reads.simulate(request)),
    logsJson: (query) => smallOr(reads.logsSmall(query), () => costly(() => reads.logsJson(query))),
    proofJson: (address, keys, block) => costly(() => reads.proofJson(address, keys, block)),
    feeHistoryJson: (count, newest, percentiles) => costly(() => reads.feeHistoryJson(count, newest, percentiles)),
    blockJson: (block, full) => blocks(() => reads.blockJson(block, full)),
    blockReceiptsJson: (block) => blocks(() => reads.blockReceiptsJson(block)),
    rawBlock: (block) => blocks(() => reads.rawBlock(block)),
    rawReceipts: (block) => blocks(() => reads.rawReceipts(block)),
  };
  return { ...chain, reads: laned };
}
