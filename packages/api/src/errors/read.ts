/** Owns the errors in the catalogue that are about reading blocks, state, logs, fees, filters and subscriptions. */

/** Errors of reads. */
export const readErrors = {
  "header-not-found": { code: -32000, text: "header not found", when: "State of a block that does not exist." },
  "header-for-hash-not-found": {
    code: -32000,
    text: "header for hash not found",
    when: "State of a block hash that does not exist.",
  },
  "unknown-block": { code: -32000, text: "unknown block", when: "Logs of a block hash that does not exist." },
  "filter-not-found": { code: -32000, text: "filter not found", when: "No such filter, or it expired." },
  "wrong-filter": {
    code: -32000,
    text: "filter {id} doesn't have a LogsSubscription type: got {kind}",
    when: "`eth_getFilterLogs` of a filter that is no log filter (5 blocks, 4 pending transactions).",
  },
  "too-many-logs": {
    code: -32005,
    text: "query returned more than {most} results",
    when: "A log query with more results than the node returns.",
  },
  "pending-logs": {
    code: -32602,
    text: "pending logs are not supported",
    when: "A log query over the pending block.",
  },
  "no-notifications": {
    code: -32601,
    text: "notifications not supported",
    when: "A subscription over HTTP: it needs WebSocket.",
  },
  "unknown-subscription": {
    code: -32601,
    text: 'no "{kind}" subscription in eth namespace',
    when: "`eth_subscribe` of an unknown kind.",
  },
  "invalid-storage-key": {
    code: -32602,
    text: "{fault}",
    when: "A storage position that is no hex or above 32 bytes, or more than 1024 of them.",
  },
  "invalid-block-range": {
    code: -32602,
    text: "invalid block range params",
    when: "A log range that ends before it begins.",
  },
  "range-beyond-head": {
    code: -32602,
    text: "block range extends beyond current head block",
    when: "A log range that ends above the head.",
  },
  "request-beyond-head": {
    code: -32000,
    text: "request beyond head block: requested {requested}, head {head}",
    when: "`eth_feeHistory` of a block above the head.",
  },
  "invalid-percentile": {
    code: -32000,
    text: "invalid reward percentile: {fault}",
    when: "Percentiles outside 0 to 100, not ascending, or more than 100 of them.",
  },
  "too-many-filters": {
    code: -32005,
    text: "too many filters: at most {cap}",
    when: "The cap on installed filters or subscriptions is reached.",
  },
  "filters-too-large": {
    code: -32005,
    text: "too many addresses and topics in subscriptions: at most {most}",
    when: "The log subscriptions of a connection, or of all, name more addresses and topics than the node holds.",
  },
  "too-many-receipt-hashes": {
    code: -32602,
    text: "exceed max number of transaction hashes allowed per transactionReceipts subscription",
    when: "A `transactionReceipts` subscription that names more than 200 transactions.",
  },
} as const;
