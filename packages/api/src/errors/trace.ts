/** Owns the errors in the catalogue that are about running committed blocks and transactions again. */

/** Errors of traces. */
export const traceErrors = {
  "transaction-not-found": {
    code: -32000,
    text: "transaction not found",
    when: "A trace of a transaction that is not committed.",
  },
  "block-number-not-found": {
    code: -32000,
    text: "block #{number} not found",
    when: "A trace of a height above the head.",
  },
  "block-hash-not-found": { code: -32000, text: "block {hash} not found", when: "A trace of an unknown block hash." },
  "bad-block-not-found": {
    code: -32000,
    text: "bad block {hash} not found",
    when: "A trace of a bad block: this node keeps none.",
  },
  "genesis-not-traceable": { code: -32000, text: "genesis is not traceable", when: "A trace of block 0." },
  "pending-not-traceable": {
    code: -32000,
    text: "tracing on top of pending is not supported",
    when: "A trace on the pending block.",
  },
  "undecodable-block": {
    code: -32000,
    text: "could not decode block: {fault}",
    when: "The bytes are no RLP of a block.",
  },
  "trace-range": {
    code: -32005,
    text: "too many blocks to trace: at most {most}",
    when: "`trace_filter` over a wider range.",
  },
  "trace-failed": {
    code: -32000,
    text: "{reason}",
    when: "A trace ended early: `execution timeout`, too large, a tracer's own error, or a message that cannot start.",
  },
} as const;
