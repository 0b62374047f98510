/** Owns the part of the error catalogue that debug files, profiles and process facilities answer. Texts are geth's where it has the case. */

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
