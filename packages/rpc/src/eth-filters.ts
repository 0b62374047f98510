/** Owns the handlers of `eth` for logs, filters and subscriptions. */
import { type CallContext, type CallSink, type ethFilters, type Handlers, rpcError } from "@cairn/api";
import type { Chain, LogCriteria, NewFilterOutcome } from "@cairn/chain";
import { committedRange, type LogRange, queryRange, watchCriteria } from "./log-range.ts";
import type { RpcSettings } from "./options.ts";
import { wantsNullPowFields } from "./pow-fields.ts";
import { readSubscription } from "./subscription-kind.ts";
import type { Subscriptions } from "./subscriptions.ts";

/** The numbers of geth's filter kinds in the era of the specification's sample text. */
const FILTER_KIND_NUMBERS = { blocks: 5, pending: 4 } as const;

type Matching = Pick<LogCriteria, "addresses" | "topics">;

async function logsJson(chain: Chain, cap: number, range: LogRange, { addresses, topics }: Matching): Promise<string> {
  const outcome = await chain.reads.logsJson({ ...range, addresses, topics, maxResults: cap });
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
    eth_newFilter: ([filter]) => installed(filters.newLogFilter(watchCriteria(chain, filter))),
    eth_newBlockFilter: () => installed(filters.newBlockFilter()),
    eth_newPendingTransactionFilter: () => installed(filters.newPendingTransactionFilter()),
    eth_getFilterChanges: ([id]) => {
      const changes = filters.changes(id);
      if (!changes.ok) throw rpcError("filter-not-found", {});
      return changes.kind === "logs" ? changes.logsJson : JSON.stringify(changes.hashes);
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
