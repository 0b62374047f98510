/** Owns the handlers of `trace`: Parity's shapes, made of the native core's replays. */
import { type BlockSelector, type Handlers, rpcError, type TraceFilter, type TraceType, type trace } from "@cairn/api";
import type { Chain, ChainReads } from "@cairn/chain";
import { type BlockRef, stateBlock } from "./block-ref.ts";
import { message } from "./call-request.ts";
import { submissionError } from "./submission-error.ts";

type TraceRequest = Parameters<ChainReads["trace"]>[0];

const MAX_BLOCKS = 100n;
const MAX_TRACES = 10_000;

interface Action {
  readonly from?: string;
  readonly to?: string;
  readonly address?: string;
  readonly refundAddress?: string;
}

interface ParityTrace {
  readonly action: Action;
  readonly result?: { readonly address?: string } | null;
  readonly traceAddress: readonly number[];
}

interface Replayed {
  readonly txHash: string;
  readonly result?: { readonly trace: readonly ParityTrace[] };
  readonly error?: string;
}

const options = (types: readonly TraceType[]) => ({ tracer: "replayTracer", tracerConfig: types });

/** The replays of a block, parsed; a transaction that could not be traced fails the whole. */
async function replayBlock(chain: Chain, block: BlockRef, types: readonly TraceType[]): Promise<readonly Replayed[]> {
  const outcome = await chain.reads.trace({ kind: "block", block, options: options(types) });
  if (!outcome.ok && outcome.code === "genesis") return [];
  if (!outcome.ok && outcome.code === "unknown-block") throw rpcError("header-not-found", {});
  if (!outcome.ok) throw rpcError("trace-failed", { reason: outcome.reason });
  const entries: readonly Replayed[] = JSON.parse(outcome.json);
  const failed = entries.find((entry) => entry.error !== undefined);
  if (failed?.error !== undefined) throw rpcError("trace-failed", { reason: failed.error });
  return entries;
}

/** The replay of a transaction, or `undefined` when it is unknown. */
async function replay(chain: Chain, hash: `0x${string}`, types: readonly TraceType[]): Promise<string | undefined> {
  const outcome = await chain.reads.trace({ kind: "transaction", hash, options: options(types) });
  if (outcome.ok) return outcome.json;
  if (outcome.code === "unknown-transaction") return undefined;
  throw rpcError("trace-failed", { reason: outcome.reason });
}

interface Place {
  readonly blockHash: string;
  readonly blockNumber: number;
  readonly transactionHash: string;
  readonly transactionPosition: number;
}

const placed = (traces: readonly ParityTrace[], place: Place) => traces.map((item) => ({ ...item, ...place }));

async function blockTraces(chain: Chain, block: BlockRef) {
  const header: { hash: string; number: string } | null = JSON.parse(chain.reads.headerJson(block) ?? "null");
  if (header === null) throw rpcError("header-not-found", {});
  const [blockHash, blockNumber] = [header.hash, Number(header.number)];
  const entries = await replayBlock(chain, block, ["trace"]);
  return entries.flatMap(({ txHash, result }, transactionPosition) =>
    placed(result?.trace ?? [], { blockHash, blockNumber, transactionHash: txHash, transactionPosition }),
  );
}

async function transactionTraces(chain: Chain, hash: `0x${string}`) {
  const json = await replay(chain, hash, ["trace"]);
  const tx: { blockHash: string; blockNumber: string; transactionIndex: string } | null = JSON.parse(
    chain.reads.transactionJson(hash) ?? "null",
  );
  if (json === undefined || tx === null) return undefined;
  const { trace: traces }: { trace: readonly ParityTrace[] } = JSON.parse(json);
  return placed(traces, {
    blockHash: tx.blockHash,
    blockNumber: Number(tx.blockNumber),
    transactionHash: hash,
    transactionPosition: Number(tx.transactionIndex),
  });
}

/** Parity's rule: sender and receiver both, where both are named. A creation's receiver is what it made. */
function matches({ action, result }: ParityTrace, { fromAddress, toAddress }: TraceFilter): boolean {
  const from = action.from ?? action.address ?? "";
  const to = action.to ?? action.refundAddress ?? result?.address ?? "";
  const within = (list: readonly string[], value: string): boolean => list.length === 0 || list.includes(value);
  return within(fromAddress, from) && within(toAddress, to);
}

function numberOf(chain: Chain, block: TraceFilter["fromBlock"]): bigint {
  const found = stateBlock(chain, block);
  const number = typeof found === "bigint" ? found : chain.reads.blockNumber(found);
  if (number === undefined) throw rpcError("header-not-found", {});
  return number;
}

async function filtered(chain: Chain, filter: TraceFilter): Promise<string> {
  const [first, last] = [numberOf(chain, filter.fromBlock), numberOf(chain, filter.toBlock)];
  if (last < first) throw rpcError("invalid-block-range", {});
  if (last - first >= MAX_BLOCKS) throw rpcError("trace-range", { most: MAX_BLOCKS });
  const most = Math.min(filter.count ?? MAX_TRACES, MAX_TRACES);
  const found: ParityTrace[] = [];
  for (let number = first; number <= last && found.length < filter.after + most; number++) {
    for (const item of await blockTraces(chain, number)) if (matches(item, filter)) found.push(item);
  }
  return JSON.stringify(found.slice(filter.after, filter.after + most));
}

/** The answer of a trace on a block's state. Throws for messages that cannot start. */
async function traced(chain: Chain, request: TraceRequest): Promise<string> {
  const outcome = await chain.reads.trace(request);
  if (outcome.ok) return outcome.json;
  if (outcome.code === "refused") throw submissionError(outcome.refusal);
  throw outcome.code === "unknown-block"
    ? rpcError("header-not-found", {})
    : rpcError("trace-failed", { reason: outcome.reason });
}

/** The block of messages that are no committed transactions. */
function messageBlock(chain: Chain, selector: BlockSelector): BlockRef {
  if (selector === "pending") throw rpcError("pending-not-traceable", {});
  return stateBlock(chain, selector);
}

/** The handlers of `trace`. */
export function traceHandlers(chain: Chain): Handlers<typeof trace> {
  return {
    trace_transaction: async ([hash]) => JSON.stringify((await transactionTraces(chain, hash)) ?? null),
    trace_get: async ([hash, path]) => {
      const wanted = path.join();
      const traces = (await transactionTraces(chain, hash)) ?? [];
      return JSON.stringify(traces.find(({ traceAddress }) => traceAddress.join() === wanted) ?? null);
    },
    trace_block: async ([block]) => JSON.stringify(await blockTraces(chain, stateBlock(chain, block))),
    trace_filter: ([filter]) => filtered(chain, filter),
    trace_call: ([param, types, selector]) => {
      const block = messageBlock(chain, selector);
      return traced(chain, { kind: "call", call: message(chain, param), block, options: options(types) });
    },
    trace_callMany: ([params, selector]) => {
      const block = messageBlock(chain, selector);
      const calls = params.map(([param, types]) => ({ call: message(chain, param), options: options(types) }));
      return traced(chain, { kind: "calls", calls, block });
    },
    trace_rawTransaction: ([raw, types, selector]) => {
      const block = messageBlock(chain, selector);
      return traced(chain, { kind: "raw", raw, block, options: options(types) });
    },
    trace_replayTransaction: async ([hash, types]) => {
      const json = await replay(chain, hash, types);
      if (json === undefined) throw rpcError("transaction-not-found", {});
      return json;
    },
    trace_replayBlockTransactions: async ([block, types]) => {
      const entries = await replayBlock(chain, stateBlock(chain, block), types);
      return JSON.stringify(entries.map(({ txHash, result }) => ({ ...result, transactionHash: txHash })));
    },
  };
}
