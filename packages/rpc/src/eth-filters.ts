/** Owns the handlers of `eth` for logs, filters and subscriptions. */
import { type CallContext, type CallSink, type ethFilters, type Handlers, rpcError } from "@cairn/api";
import type { Chain, FilterChanges, LogCriteria, NewFilterOutcome } from "@cairn/chain";
import { committedRange, type LogRange, queryRange, watchCriteria } from "./log-range.ts";
import type { RpcSettings } from "./options.ts";
import { wantsNullPowFields } from "./pow-fields.ts";
import { readSubscription } from "./subscription-kind.ts";
import type { Subscriptions } from "./subscriptions.ts";

/** The numbers of geth's filter kinds in the era of the specification's sample text. */
const FILTER_KIND_NUMBERS = { blocks: 5, pending: 4 } as const;

type Matching = Pick<LogCriteria, "addresses" | "topics">;

const search = (chain: Chain, cap: number, range: LogRange, { addresses, topics }: Matching) =>
  chain.reads.logsJson({ ...range, addresses, topics, maxResults: cap });

async function logsJson(chain: Chain, cap: number, range: LogRange, matching: Matching): Promise<string> {
  const outcome = await search(chain, cap, range, matching);
  if (outcome.ok) return outcome.json;
  throw outcome.code === "timeout" ? rpcError("timeout", {}) : rpcError("too-many-logs", { most: cap });
}

function installed(outcome: NewFilterOutcome): string {
  if (outcome.ok) return `"${outcome.id}"`;
  throw rpcError("too-many-filters", { cap: outcome.cap });
}

function sinkOf(context: CallContext): CallSink {
  if (context.subscriptions === undefined) throw rpcError("no-notifications", {});
  return context.subscriptions;
}

type LogChanges = Extract<FilterChanges, { readonly kind: "logs" }>;

/**
 * The logs of the blocks a filter has not answered. Of blocks with too many logs the first half, and half of that, so
 * that a poll is bounded and nothing is lost: the next one goes on. What fails is asked again by the next poll.
 */
async function changedLogs(chain: Chain, cap: number, { blocks, criteria, giveBack }: LogChanges): Promise<string> {
  if (blocks === undefined) return "[]";
  const { fromBlock } = blocks;
  let { toBlock } = blocks;
  let unanswered = fromBlock;
  try {
    let outcome = await search(chain, cap, { fromBlock, toBlock }, criteria);
    while (!outcome.ok && outcome.code === "too-many-results" && toBlock > fromBlock) {
      toBlock = fromBlock + (toBlock - fromBlock) / 2n;
      outcome = await search(chain, cap, { fromBlock, toBlock }, criteria);
    }
    if (!outcome.ok && outcome.code === "timeout") throw rpcError("timeout", {});
    unanswered = toBlock + 1n;
    if (outcome.ok) return outcome.json;
    // One block alone above the cap is told once: its logs are still to be had by narrower queries.
    throw rpcError("too-many-logs", { most: cap });
  } finally {
    giveBack(unanswered);
  }
}

/** The handlers of the filter part of `eth`. */
export function ethFilterHandlers(
  chain: Chain,
  settings: RpcSettings,
  subscriptions: Subscriptions,
): Handlers<typeof ethFilters> {
  const { filters } = chain;
  const query = (range: LogRange, matching: Matching) => logsJson(chain, settings.logsCap, range, matching);
  return {
    eth_getLogs: ([filter]) => query(queryRange(chain, filter), filter),
    eth_newFilter: ([filter], context) =>
      installed(filters.newLogFilter(watchCriteria(chain, filter), context.subscriptions?.id)),
    eth_newBlockFilter: (_, context) => installed(filters.newBlockFilter(context.subscriptions?.id)),
    eth_newPendingTransactionFilter: (_, context) =>
      installed(filters.newPendingTransactionFilter(context.subscriptions?.id)),
    eth_getFilterChanges: ([id]) => {
      const changes = filters.changes(id);
      if (!changes.ok) throw rpcError("filter-not-found", {});
      if (changes.kind !== "logs") return JSON.stringify(changes.hashes);
      return changedLogs(chain, settings.logsCap, changes);
    },
    eth_getFilterLogs: async ([id]) => {
      const found = filters.criteria(id);
      if (found.ok) {
        const range = committedRange(chain, found.criteria);
        return range === undefined ? "[]" : query(range, found.criteria);
      }
      if (found.code === "filter-not-found") throw rpcError("filter-not-found", {});
      throw rpcError("wrong-filter", { id, kind: FILTER_KIND_NUMBERS[found.kind] });
    },
    eth_uninstallFilter: ([id]) => String(filters.uninstall(id)),
    eth_subscribe: ([name, options], context) => {
      const sink = sinkOf(context);
      const nullPowFields = wantsNullPowFields(settings, context);
      const kind = readSubscription({ name, options, nullPowFields });
      return `"${subscriptions.subscribe(sink, kind)}"`;
    },
    eth_unsubscribe: ([id], context) => String(subscriptions.unsubscribe(sinkOf(context), id)),
  };
}
