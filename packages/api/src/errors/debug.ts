/**
 * Owns the part of the error catalogue that debug files, profiles and process facilities answer. Texts are geth's
 * where it has the case.
 */

/** Errors of `debug` beyond tracing. */
export const debugErrors = {
  "no-debug-directory": {
    code: -32000,
    text: "this node has no directory for debug files",
    when: "A method that reads or writes files on a node that was given no directory for them.",
  },
  "debug-directory-full": {
    code: -32000,
    text: "could not write file: the debug directory is full",
    when: "The directory of debug files holds 4 GiB or 10,000 files: remove some.",
  },
  "unreadable-file": {
    code: -32000,
    text: "could not read file: {fault}",
    when: "No such file in the node's debug directory, or it is too large.",
  },
  "unwritable-file": {
    code: -32000,
    text: "could not write file: {fault}",
    when: "The node's debug directory takes no file of that name.",
  },
  "transaction-not-in-block": {
    code: -32000,
    text: "transaction {hash} not found in block",
    when: "A standard trace of a transaction that is not in the block.",
  },
  "unknown-preimage": {
    code: -32000,
    text: "unknown preimage",
    when: "A hash that is no key of an account or of a storage slot of this chain.",
  },
  "transaction-index-out-of-range": {
    code: -32000,
    text: "transaction index {index} out of range for block {hash}",
    when: "`debug_storageRangeAt` before a transaction that the block does not have.",
  },
  "no-genesis-transaction": {
    code: -32000,
    text: "no transaction in genesis",
    when: "`debug_storageRangeAt` in block 0.",
  },
  "listing-too-large": {
    code: -32000,
    text: "too many entries: at most {most}",
    when: "A dump or a list of changed accounts of more entries than one answer carries.",
  },
  "start-not-before-end": {
    code: -32000,
    text: "start block height ({start}) must be less than end block height ({end})",
    when: "`debug_getModifiedAccountsByNumber` or `…ByHash` whose blocks are not in this order.",
  },
  "range-block-not-found": {
    code: -32000,
    text: "{name} block {number} not found",
    when: "`debug_getModifiedAccountsByNumber` above the head; the first number is hex without prefix.",
  },
  "no-parent": {
    code: -32000,
    text: "block 0 has no parent",
    when: "The accounts that block 0 modified.",
  },
  "cpu-profile-running": {
    code: -32000,
    text: "CPU profiling already in progress",
    when: "A CPU profile is being taken.",
  },
  "cpu-profile-not-running": {
    code: -32000,
    text: "CPU profiling not in progress",
    when: "`debug_stopCPUProfile` without a start.",
  },
  "trace-running": { code: -32000, text: "trace already in progress", when: "A trace of the runtime is being taken." },
  "trace-not-running": {
    code: -32000,
    text: "trace not in progress",
    when: "`debug_stopGoTrace` without a start.",
  },
  "log-level-fixed": {
    code: -32000,
    text: "the log level of this node cannot be changed",
    when: "The node's logger was started without a changeable level.",
  },
} as const;
