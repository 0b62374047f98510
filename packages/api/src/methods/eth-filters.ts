/** Owns the table rows of `eth`: logs, filters, subscriptions. */
import { filterId, json, string } from "../codecs.ts";
import { logFilter } from "../log-filter.ts";
import { method, optional, required } from "../method.ts";
import { results } from "../shapes.ts";

const FILTERS = "chain-node: Eth, filters and logs";
const SUBSCRIPTIONS = "chain-node: Eth, subscriptions (WebSocket)";
const filter = required("filter", logFilter);
const id = required("id", filterId);
const RANGE = [
  "invalid-block-range",
  "range-beyond-head",
  "too-many-logs",
  "pending-logs",
  "unknown-block",
  "timeout",
] as const;

/** Logs, filters, subscriptions. */
export const ethFilters = {
  eth_getLogs: method({
    params: [filter],
    result: results.logs,
    errors: RANGE,
    summary: "Logs of a block range or of one block, at most 10,000.",
    spec: FILTERS,
  }),
  eth_newFilter: method({
    params: [filter],
    result: results.id,
    errors: ["invalid-block-range", "pending-logs", "too-many-filters"],
    summary: "Installs a log filter.",
    spec: FILTERS,
  }),
  eth_newBlockFilter: method({
    params: [],
    result: results.id,
    errors: ["too-many-filters"],
    summary: "Installs a filter for new block hashes.",
    spec: FILTERS,
  }),
  eth_newPendingTransactionFilter: method({
    params: [],
    result: results.id,
    errors: ["too-many-filters"],
    summary: "Installs a filter for hashes of new pending transactions.",
    spec: FILTERS,
  }),
  eth_getFilterChanges: method({
    params: [id],
    result: results.changes,
    errors: ["filter-not-found", "too-many-logs", "timeout", "busy"],
    summary:
      "What came since the last poll, of logs at most 10,000 and the rest with the next; unpolled filters expire after five minutes.",
    spec: FILTERS,
  }),
  eth_getFilterLogs: method({
    params: [id],
    result: results.logs,
    errors: ["filter-not-found", "wrong-filter", ...RANGE],
    summary: "All logs that match a log filter.",
    spec: FILTERS,
  }),
  eth_uninstallFilter: method({
    params: [id],
    result: results.boolean,
    summary: "Removes a filter; whether there was one.",
    spec: FILTERS,
  }),
  eth_subscribe: method({
    params: [required("kind", string), optional("options", json, undefined)],
    result: results.id,
    errors: ["no-notifications", "unknown-subscription", "too-many-filters", "too-many-receipt-hashes"],
    summary: "Subscribes to newHeads, logs, newPendingTransactions, transactionReceipts or syncing, over WebSocket.",
    spec: SUBSCRIPTIONS,
  }),
  eth_unsubscribe: method({
    params: [required("id", filterId)],
    result: results.boolean,
    errors: ["no-notifications"],
    summary: "Ends a subscription of this connection; whether there was one.",
    spec: SUBSCRIPTIONS,
  }),
};
